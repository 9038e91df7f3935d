import { COLORS_ALIKE, isReadable } from '@waypost/domain';
import Joi from 'joi';
import { invalid } from '../platform/checks.ts';
import { endpoint, Reply, wrong } from '../platform/endpoint.ts';
import { oneOf } from '../platform/fields.ts';
import { READS } from '../platform/limits.ts';
import { getLink } from './get.ts';
import { slugParam } from './links.schema.ts';
import type { LinksPorts } from './ports.ts';
import { PICTURE_TYPES, qrStyle } from './qr.schema.ts';

export const getQrCodeEndpoint = endpoint({
  id: 'getQrCode',
  method: 'GET',
  path: '/links/:slug/qr',
  scope: 'read',
  concurrency: READS,
  summary: 'Get the QR code of a link',
  description:
    'Returns a picture of the QR code of the short URL. The same options always return the same bytes. It also works for links that are not `active`, but only an `active` link redirects.',
  params: { slug: slugParam },
  query: {
    format: oneOf(['svg', 'png']).optional().default('svg').description('The format of the picture.'),
    ...qrStyle,
  },
  answers: {
    200: {
      means: 'The picture.',
      schema: Joi.binary().meta({ type: 'string', format: 'binary' }),
      mediaTypes: Object.values(PICTURE_TYPES),
      examples: {},
    },
  },
  errors: [wrong('Colors that look alike', { color: COLORS_ALIKE }), 'link_not_found'],
  cli: 'waypost qr aB3dE6g --out code.svg',
  handle: async ({ caller, params, query: { format, ...style } }, ports: LinksPorts) => {
    if (!isReadable(style.color, style.background)) throw invalid({ color: COLORS_ALIKE });
    const { slug } = await getLink(ports, caller.accountId, params.slug);
    const { leastSize, picture } = ports.qrDrawer.draw(`${ports.redirectBaseUrl}/${slug}`, style);
    if (style.size < leastSize) throw invalid({ size: `must be at least ${leastSize} for the code of this link` });
    return new Reply(200, Buffer.from(await picture(format)), { 'Content-Type': PICTURE_TYPES[format] });
  },
});
