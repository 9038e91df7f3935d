/** This is the only tool that is not a REST endpoint. It is declared and checked in the same way. */

import type { ContentBlock } from '@modelcontextprotocol/server';
import { LINK_STATUSES } from '@waypost/domain';
import { qrCode, svgOf } from '@waypost/qr-code';
import { pngOf } from '@waypost/qr-code/png';
import Joi from 'joi';
import { getLink, type LinkStore, slugField, slugParam } from '../links/index.ts';
import { endpoint } from '../platform/endpoint.ts';
import { named, oneOf } from '../platform/fields.ts';
import { READS } from '../platform/limits.ts';

const MIME_TYPES = { png: 'image/png', svg: 'image/svg+xml' } as const;

export interface QrPorts {
  readonly links: Pick<LinkStore, 'find'>;
  readonly redirectBaseUrl: string;
}

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
  },
  answers: {
    200: {
      means: 'The QR code.',
      schema: named('QrCode', 'A QR code.', {
        slug: slugField,
        short_url: Joi.string().description('The short URL in the QR code.'),
        status: oneOf(LINK_STATUSES).description('The status of the link.'),
        mime_type: oneOf(Object.values(MIME_TYPES)),
        data: Joi.string().description('The image: SVG as text, or PNG in Base64.'),
      }),
      examples: {},
    },
  },
  errors: ['link_not_found'],
  handle: async ({ caller, params, query: { format } }, deps: QrPorts) => {
    const { slug, status } = await getLink(deps, caller.accountId, params.slug);
    const shortUrl = `${deps.redirectBaseUrl}/${slug}`;
    return { slug, short_url: shortUrl, status, mime_type: MIME_TYPES[format], data: imageOf(shortUrl, format) };
  },
});

/** Returns a tool's result as text and one picture. Most clients do not show SVG as a picture. */
export function contentOf(result: object): ContentBlock[] {
  const isPicture = 'mime_type' in result && result.mime_type === MIME_TYPES.png && 'data' in result;
  if (!isPicture) return [{ type: 'text', text: JSON.stringify(result) }];
  const { data, ...facts } = result;
  return [
    { type: 'text', text: JSON.stringify(facts) },
    { type: 'image', mimeType: MIME_TYPES.png, data: String(data) },
  ];
}

function imageOf(text: string, format: keyof typeof MIME_TYPES): string {
  const code = qrCode(text);
  return format === 'svg' ? svgOf(code) : Buffer.from(pngOf(code)).toString('base64');
}
