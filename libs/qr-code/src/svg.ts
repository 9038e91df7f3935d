/** Draws QR codes as SVG, in Node and in browsers. Lengths are in modules. */
import { QR_TRANSPARENT, type QrDesign, type QrLogo, type QrShape, type QrStyle } from '@waypost/domain/qr-code';
import { toSvgPath } from 'lean-qr/extras/svg';
import { type Bitmap2D, qrCode } from './index.ts';

/** Square modules, nothing else. */
export const PLAIN = { dots: 'square', corners: 'square', words: '' } as const;

/** The part of the code that a logo may replace. The correction `H` restores it from version 5 on. */
const LOGO_SHARE = 0.16;
const LOGO_VERSION = 5;
/** The longest side of a logo, as a part of the code: a longer one would cover the patterns at its edges. */
const LOGO_SIDE = 0.6;
const LOGO_GAP = 0.5;

export function codeOf(text: string, { correction, logo }: Pick<QrDesign, 'correction' | 'logo'>): Bitmap2D {
  return logo === undefined ? qrCode(text, correction) : qrCode(text, 'H', LOGO_VERSION);
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The modules that the logo replaces. Both sides are odd, as that of a code, so the logo is in the middle. */
function holeFor(size: number, { width, height }: QrLogo): Box {
  const ratio = width / height;
  const tall = Math.min(Math.sqrt(LOGO_SHARE / ratio), LOGO_SIDE, LOGO_SIDE / ratio) * size;
  const [across, down] = [tall * ratio, tall].map((side) => Math.max(3, 2 * Math.floor((side - 1) / 2) + 1)) as [
    number,
    number,
  ];
  return { x: (size - across) / 2, y: (size - down) / 2, width: across, height: down };
}

/** The place of the logo, from the first module of the code. */
export function logoBox(size: number, logo: QrLogo): Box {
  const hole = holeFor(size, logo);
  const fit = Math.min((hole.width - 2 * LOGO_GAP) / logo.width, (hole.height - 2 * LOGO_GAP) / logo.height);
  const [width, height] = [logo.width * fit, logo.height * fit].map(round) as [number, number];
  return { x: round((size - width) / 2), y: round((size - height) / 2), width, height };
}

/** The whole picture, with the code at 0, 0. */
export function frameOf(size: number, { margin, words }: Pick<QrDesign, 'margin' | 'words'>): Box {
  const below = words === '' ? 0 : Math.max(2, margin) - margin / 2 + fontSize(size, words);
  return { x: -margin, y: -margin, width: size + 2 * margin, height: size + 2 * margin + below };
}

/** The width and height of the picture, in pixels. */
export function pixelsOf(code: Bitmap2D, design: QrDesign): readonly [width: number, height: number] {
  const { width, height } = frameOf(code.size, design);
  return [round((design.size * width) / height), design.size];
}

export function svgOf(code: Bitmap2D, style: QrStyle & Partial<QrDesign>): string {
  const design = { ...PLAIN, ...style };
  const { margin, color, background, dots, corners, logo, words } = design;
  const { x, y, width, height } = frameOf(code.size, design);
  const [across, down] = pixelsOf(code, design);
  const hole = logo && holeFor(code.size, logo);
  const isOn = (column: number, row: number) =>
    code.get(column, row) && !isCorner(code.size, column, row) && !(hole && isIn(hole, column, row));
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"',
    ` viewBox="${x} ${y} ${width} ${height}" width="${across}" height="${down}">`,
    background !== QR_TRANSPARENT &&
      `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${background}"/>`,
    (dots === 'round' ? strokes : path)(color, dotsPath(code.size, isOn, dots), dots),
    path(color, cornersPath(code.size, corners), corners),
    logo?.href && imageOf(logo, logoBox(code.size, logo)),
    words && lineOf(code.size, words, color, margin),
    '</svg>',
  ]
    .filter(Boolean)
    .join('');
}

/** The edges of squares are sharp, also where a module is no whole number of pixels. */
function path(color: string, d: string, shape: QrShape): string {
  return `<path d="${d}" fill="${color}" fill-rule="evenodd"${shape === 'square' ? ' shape-rendering="crispEdges"' : ''}/>`;
}

/** Points of a round pen. As 1,000 circles, a code would be 100 kB in a printed document. */
function strokes(color: string, d: string): string {
  return `<path d="${d}" fill="none" stroke="${color}" stroke-width=".9" stroke-linecap="round"/>`;
}

const CORNER = 7;

function isCorner(size: number, column: number, row: number): boolean {
  const isFirst = (place: number) => place < CORNER;
  const isLast = (place: number) => place >= size - CORNER;
  return (isFirst(row) && (isFirst(column) || isLast(column))) || (isLast(row) && isFirst(column));
}

function isIn({ x, y, width, height }: Box, column: number, row: number): boolean {
  return column >= x && column < x + width && row >= y && row < y + height;
}

/** The radii of the three nested squares of a corner. */
const RADII = { square: [0, 0, 0], rounded: [2, 1.5, 1], round: [3.5, 2.5, 1.5] } as const;

function cornersPath(size: number, shape: QrShape): string {
  const places = [
    [0, 0],
    [size - CORNER, 0],
    [0, size - CORNER],
  ] as const;
  return places
    .flatMap(([x, y]) =>
      RADII[shape].map((radius, inset) => squarePath(x + inset, y + inset, CORNER - 2 * inset, radius)),
    )
    .join('');
}

function squarePath(x: number, y: number, side: number, radius: number): string {
  const edge = side - 2 * radius;
  const turn = (across: number, down: number) =>
    radius === 0 ? '' : `a${radius} ${radius} 0 0 1 ${across * radius} ${down * radius}`;
  return `M${x + radius} ${y}h${edge}${turn(1, 1)}v${edge}${turn(-1, 1)}h${-edge}${turn(-1, -1)}v${-edge}${turn(1, -1)}z`;
}

type IsOn = (column: number, row: number) => boolean;

function dotsPath(size: number, get: IsOn, shape: QrShape): string {
  if (shape === 'square') return toSvgPath({ size, get });
  const paths: string[] = [];
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++)
      if (get(x, y)) paths.push(shape === 'round' ? `M${x}.5 ${y}.5h.01` : roundedPath(x, y, get));
  return paths.join('');
}

/** A corner of a module is round if no neighbor touches it, so that neighbors flow into each other. */
function roundedPath(x: number, y: number, isOn: IsOn): string {
  const [above, below] = [isOn(x, y - 1), isOn(x, y + 1)];
  const [before, after] = [isOn(x - 1, y), isOn(x + 1, y)];
  const arc = (end: string) => `a.5 .5 0 0 1 ${end}`;
  return [
    `M${x} ${y}.5`,
    above || before ? 'v-.5h.5' : arc('.5-.5'),
    above || after ? 'h.5v.5' : arc('.5 .5'),
    below || after ? 'v.5h-.5' : arc('-.5 .5'),
    below || before ? 'h-.5v-.5' : arc('-.5-.5'),
    'z',
  ].join('');
}

function imageOf({ href }: QrLogo, { x, y, width, height }: Box): string {
  return `<image x="${x}" y="${y}" width="${width}" height="${height}" xlink:href="${escaped(href)}"/>`;
}

function lineOf(size: number, words: string, color: string, margin: number): string {
  const font = fontSize(size, words);
  const y = size + Math.max(2, margin) + 0.8 * font;
  return `<text x="${size / 2}" y="${round(y)}" font-size="${font}" font-family="sans-serif" text-anchor="middle" fill="${color}">${escaped(words)}</text>`;
}

/** Long words are smaller, so that they are no wider than the code in the usual fonts. */
function fontSize(size: number, words: string): number {
  const ems = [...words].reduce(
    (sum, letter) => sum + (letter >= '\u1100' ? 1 : /[\p{Lu}\p{N}@%]/u.test(letter) ? 0.75 : 0.6),
    0,
  );
  return round(Math.min(0.11 * size, size / ems));
}

const round = (length: number) => Math.round(length * 100) / 100;

/** XML has no control characters, not even escaped. */
const escaped = (text: string) =>
  text.replace(/\p{Cc}/gu, ' ').replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
