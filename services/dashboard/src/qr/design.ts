/** How the codes of this browser look. It is kept here, because a logo never leaves the browser. */
import {
  COLORS_ALIKE,
  isReadable,
  NOT_A_COLOR,
  QR_COLOR,
  QR_MARGIN,
  QR_SHAPES,
  QR_SIZE,
  QR_TRANSPARENT,
  QR_WORDS_LENGTH,
  type QrDesign,
} from '@waypost/domain/qr-code';
import { store, stored } from '../storage.ts';

export const STANDARD: QrDesign = {
  size: 1024,
  margin: QR_MARGIN.standard,
  color: '#000000',
  background: '#ffffff',
  correction: 'M',
  dots: 'square',
  corners: 'square',
  words: '',
};

const KEY = 'qr-design';

const isWhole = (value: unknown, { least, most }: { least: number; most: number }) =>
  Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
const isShape = (value: unknown) => QR_SHAPES.some((shape) => shape === value);
const isText = (value: unknown): value is string => typeof value === 'string';
const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> => ({ ...(value as object) });

/** Anything may be in the storage: an extension or another version of this page wrote it. */
const VALID: Readonly<Record<string, (value: unknown) => boolean>> = {
  size: (value) => isWhole(value, QR_SIZE),
  margin: (value) => isWhole(value, QR_MARGIN),
  color: isText,
  background: isText,
  dots: isShape,
  corners: isShape,
  words: (value) => isText(value) && value.length <= QR_WORDS_LENGTH,
  logo: (value) => {
    const { href, width, height } = fieldsOf(value);
    const isPng = isText(href) && /^data:image\/png;base64,[\w+/=]+$/.test(href);
    return isPng && Number(width) >= 1 && Number(height) >= 1;
  },
};

export function storedDesign(): QrDesign {
  try {
    const fields = Object.entries(fieldsOf(JSON.parse(stored(KEY) ?? '{}')));
    const design = { ...STANDARD, ...Object.fromEntries(fields.filter(([name, value]) => VALID[name]?.(value))) };
    return Object.keys(problemsOf(design)).length === 0 ? design : STANDARD;
  } catch {
    return STANDARD;
  }
}

export const storeDesign = (next: QrDesign): boolean => store(KEY, JSON.stringify(next));

/** The same rules and words as those of the API. */
export function problemsOf({ color, background }: QrDesign): { color?: string; background?: string } {
  const isColor = QR_COLOR.test(color);
  const isBackground = background === QR_TRANSPARENT || QR_COLOR.test(background);
  return {
    ...(!isColor && { color: NOT_A_COLOR }),
    ...(!isBackground && { background: NOT_A_COLOR }),
    ...(isColor && isBackground && !isReadable(color, background) && { color: COLORS_ALIKE }),
  };
}

/** Whether the API can draw it too. */
export const isPlain = ({ dots, corners, logo, words }: QrDesign): boolean =>
  dots === 'square' && corners === 'square' && logo === undefined && words === '';
