/** This is the only tool that is not a REST endpoint. It is declared and checked in the same way. */

import type { ContentBlock } from '@modelcontextprotocol/server';
import { LINK_STATUSES } from '@waypost/domain';
import Joi from 'joi';
import { drawQr, PICTURE_TYPES, type QrPorts, qrStyle, slugField, slugParam } from '../links/index.ts';
import { endpoint } from '../platform/endpoint.ts';
import { named, oneOf } from '../platform/fields.ts';
import { READS } from '../platform/limits.ts';

export const generateQrEndpoint = endpoint({
  id: 'generateQr',
  method: 'GET',
  path: '/links/:slug/qr',
  scope: 'read',
  concurrency: READS,
  summary: 'Generate a QR code',
  description:
    'Generates a QR code for the short URL of one of your links. It also works for links that are not `active`, but only an `active` link redirects.',
  params: { slug: slugParam },
  query: {
    format: oneOf(['png', 'svg'])
      .optional()
      .default('png')
      .description('The image format. Use `svg` for print, and `png` for everything else.'),
    ...qrStyle,
  },
  answers: {
    200: {
      means: 'The QR code.',
      schema: named('QrCode', 'A QR code.', {
        slug: slugField,
        short_url: Joi.string().description('The short URL in the QR code.'),
        status: oneOf(LINK_STATUSES).description('The status of the link.'),
        mime_type: oneOf(Object.values(PICTURE_TYPES)),
        data: Joi.string().description('The image: SVG as text, or PNG in Base64.'),
      }),
      examples: {},
    },
  },
  errors: ['link_not_found'],
  handle: async ({ caller, params, query }, ports: QrPorts) => {
    const { link, shortUrl, picture } = await drawQr(ports, caller.accountId, params.slug, query);
    const data = Buffer.from(picture).toString(query.format === 'svg' ? 'utf8' : 'base64');
    return { slug: link.slug, short_url: shortUrl, status: link.status, mime_type: PICTURE_TYPES[query.format], data };
  },
});

/** Returns a tool's result as text and one picture. Most clients do not show SVG as a picture. */
export function contentOf(result: object): ContentBlock[] {
  const isPicture = 'mime_type' in result && result.mime_type === PICTURE_TYPES.png && 'data' in result;
  if (!isPicture) return [{ type: 'text', text: JSON.stringify(result) }];
  const { data, ...facts } = result;
  return [
    { type: 'text', text: JSON.stringify(facts) },
    { type: 'image', mimeType: PICTURE_TYPES.png, data: String(data) },
  ];
}
