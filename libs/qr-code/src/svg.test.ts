import { expect, test } from '@jest/globals';
import type { QrDesign } from '@waypost/domain';
import decodeQr from 'qr/decode.js';
import { codeOf, logoBox, svgOf } from './svg.ts';

const design = (edit: Partial<QrDesign>): QrDesign => ({
  size: 512,
  margin: 4,
  color: '#000000',
  background: '#ffffff',
  correction: 'M',
  dots: 'round',
  corners: 'square',
  words: '',
  ...edit,
});

const CORNER = 7;

/** Reads the code as it is drawn, where the logo is all dark or all light. */
function textIn(url: string, style: QrDesign, isLogoDark: boolean): string {
  const code = codeOf(url, style);
  const dots = new Set(
    svgOf(code, style)
      .matchAll(/M(\d+)\.5 (\d+)\.5h/g)
      .map(([, x, y]) => `${x} ${y}`),
  );
  const box = logoBox(code.size, style.logo!);
  const isDark = (x: number, y: number) => {
    const toEdges = [Math.min(x, code.size - 1 - x), Math.min(y, code.size - 1 - y)];
    if (Math.max(...toEdges) < CORNER && !(x > CORNER && y > CORNER)) return code.get(x, y);
    const isLogo = x + 1 > box.x && x < box.x + box.width && y + 1 > box.y && y < box.y + box.height;
    return isLogo ? isLogoDark : dots.has(`${x} ${y}`);
  };
  const [scale, margin] = [3, 4];
  const side = scale * (code.size + 2 * margin);
  const data = new Uint8ClampedArray(4 * side * side).fill(255);
  for (let i = 0; i < side * side; i++) {
    const [x, y] = [i % side, Math.floor(i / side)].map((pixel) => Math.floor(pixel / scale) - margin);
    if (isDark(x!, y!)) data.fill(0, 4 * i, 4 * i + 3);
  }
  return decodeQr({ width: side, height: side, data });
}

test.each([0.01, 0.5, 0.9, 1, 1.1, 1.4, 1.8, 2.5, 100])(
  'a code is readable with a logo whose width is %d of its height, dark or light',
  (width) => {
    const style = design({ logo: { href: '', width, height: 1 } });
    for (const length of [3, 64])
      for (const isDark of [true, false]) {
        const url = `https://go.example.org/${'spring-menu-'.repeat(6).slice(0, length)}`;
        expect(textIn(url, style, isDark)).toBe(url);
      }
  },
);

test('a logo covers at most a fifth of the code, with its own ratio in the middle', () => {
  for (const size of [37, 41, 57])
    for (const [width, height] of [
      [1, 1],
      [20, 9],
      [1, 9],
    ] as const) {
      const box = logoBox(size, { href: '', width, height });
      expect(box.width * box.height).toBeLessThanOrEqual(0.2 * size ** 2);
      expect(box.width / box.height).toBeCloseTo(width / height, 1);
      expect(2 * box.x + box.width).toBeCloseTo(size, 1);
    }
  const { width, height } = logoBox(37, { href: '', width: 1, height: 1 });
  expect(width * height).toBeGreaterThan(0.1 * 37 ** 2);
});

test('words and addresses are escaped, and long words are no wider than the code', () => {
  const logo = { href: 'data:,"/><script>', width: 1, height: 1 };
  const style = design({ words: '<b>&"\u0000', logo });
  const svg = svgOf(codeOf('https://a.io/abc', style), style);
  expect(svg).toContain('>&#60;b&#62;&#38;&#34; </text>');
  expect(svg).toContain('"data:,&#34;/&#62;&#60;script&#62;"');
  const sizeOf = (words: string) => {
    const long = design({ words });
    return Number(/font-size="([\d.]+)"/.exec(svgOf(codeOf('https://a.io/abc', long), long))![1]);
  };
  expect(sizeOf('Menu')).toBeGreaterThan(2);
  expect(60 * sizeOf('m'.repeat(60)) * 0.6).toBeLessThanOrEqual(25.1);
});
