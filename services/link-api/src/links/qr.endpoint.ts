import { COLORS_ALIKE } from '@waypost/domain';
import Joi from 'joi';
import { endpoint, Reply, wrong } from '../platform/endpoint.ts';
import { oneOf } from '../platform/fields.ts';
import { READS } from '../platform/limits.ts';
import { drawQr, type QrPorts } from './draw-qr.ts';
import { slugParam } from './links.schema.ts';
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
  handle: async ({ caller, params, query }, ports: QrPorts) => {
    const picture = await drawQr(ports, caller.accountId, params.slug, query);
    return new Reply(200, Buffer.from(picture), { 'Content-Type': PICTURE_TYPES[query.format] });
  },
});
