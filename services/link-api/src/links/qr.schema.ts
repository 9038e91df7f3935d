import { NOT_A_COLOR, QR_COLOR, QR_CORRECTIONS, QR_MARGIN, QR_SIZE, QR_TRANSPARENT } from '@waypost/domain';
import Joi from 'joi';
import { oneOf, problem, wholeParameter } from '../platform/fields.ts';

export const PICTURE_TYPES = { svg: 'image/svg+xml', png: 'image/png' } as const;

const whole = ({ least, most, standard }: typeof QR_SIZE | typeof QR_MARGIN) =>
  wholeParameter(least, most).optional().default(standard).example(standard);

const color = (words: string, other?: string) =>
  Joi.string<string>()
    .custom((value: string, helpers) => (QR_COLOR.test(value) || value === other ? value : problem(helpers, words)))
    .meta({ pattern: other === undefined ? QR_COLOR.source : `${QR_COLOR.source}|^${other}$` })
    .optional();

/** How the code looks. */
export const qrStyle = {
  size: whole(QR_SIZE).description(
    'The width and height of the picture, in pixels. The modules of a PNG are whole pixels, so its margin may be wider.',
  ),
  margin: whole(QR_MARGIN).description('The space around the code, in modules. Cameras need four.'),
  color: color(NOT_A_COLOR)
    .default('#000000')
    .description('The color of the code, as `#rrggbb`. It must be much darker than the background.')
    .example('#1e3a8a'),
  background: color(`must be a color such as #fef3c7, or ${QR_TRANSPARENT}`, QR_TRANSPARENT)
    .default('#ffffff')
    .description(
      `The color behind the code, as \`#rrggbb\`, or \`${QR_TRANSPARENT}\`, which is meant for a white surface.`,
    )
    .example('#fef3c7'),
  correction: oneOf(QR_CORRECTIONS)
    .optional()
    .default('M')
    .description(
      'The error correction: `L`, `M`, `Q` or `H`. With `H`, a camera reads the code without a quarter of it.',
    ),
};
