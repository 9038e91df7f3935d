/** Chromium draws every picture, and another library than the one that draws codes reads it. */
import fs from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { QR_MARGIN, QR_SHAPES, type QrDesign, type QrLogo } from '@waypost/domain';
import { codeOf, svgOf } from '@waypost/qr-code/svg';
import type { Download, Page } from 'playwright-core';
import decodeQr from 'qr/decode.js';
import { freshSlug, newLink, times } from '../support.ts';
import { button, check, dashboard, downloaded, heading, inDialog } from './browser.ts';

const { waypost, newPage, newUser, expectContent } = dashboard();

const URL_IN_CODE = 'https://go.example.org/menu';

const STANDARD: QrDesign = {
  size: 512,
  margin: 4,
  color: '#000000',
  background: '#ffffff',
  correction: 'M',
  dots: 'square',
  corners: 'square',
  words: '',
};

/** Resolves to the text in a picture, which lies on white paper. A large picture is seen at 600 pixels. */
async function textIn(page: Page, uri: string): Promise<string> {
  // The pixels are a text, because Playwright takes half a minute to return a list of 640,000 numbers.
  const [side, gray] = await page.evaluate<[number, string]>(`(async () => {
    const image = new Image();
    image.src = ${JSON.stringify(uri)};
    await image.decode();
    const scale = Math.min(1, 600 / Math.max(image.naturalWidth, image.naturalHeight));
    const [width, height] = [image.naturalWidth * scale, image.naturalHeight * scale].map(Math.round);
    const side = Math.max(width, height) + 40;
    const paper = new OffscreenCanvas(side, side).getContext('2d');
    paper.fillStyle = '#fff';
    paper.fillRect(0, 0, side, side);
    paper.drawImage(image, 20, 20, width, height);
    const { data } = paper.getImageData(0, 0, side, side);
    let gray = '';
    for (let i = 0; i < data.length; i += 4)
      gray += String.fromCharCode(Math.round(0.3 * data[i] + 0.59 * data[i + 1] + 0.11 * data[i + 2]));
    return [side, gray];
  })()`);
  const data = new Uint8ClampedArray(4 * side * side).fill(255);
  for (let i = 0; i < side * side; i++) data.fill(gray.charCodeAt(i), 4 * i, 4 * i + 3);
  return decodeQr({ width: side, height: side, data });
}

const uriOf = (svg: string) => `data:image/svg+xml,${encodeURIComponent(svg)}`;

async function textInFile(page: Page, download: Download): Promise<string> {
  const type = download.suggestedFilename().endsWith('.png') ? 'image/png' : 'image/svg+xml';
  return textIn(page, `data:${type};base64,${fs.readFileSync(await download.path(), 'base64')}`);
}

const svgFile = (svg: string) => ({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(svg) });
const pngFile = (buffer: Buffer) => ({ name: 'logo.png', mimeType: 'image/png', buffer });
const svgOfShapes = (content: string, attributes = 'viewBox="0 0 100 50"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${content}</svg>`;

/** A red square of one pixel. */
const LOGO =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

describe('a design', () => {
  let page: Page;
  const logo: QrLogo = {
    href: uriOf(svgOfShapes('<path d="M0 0h100v50H0z" fill="#7f1d1d"/><circle cx="50" cy="25" r="20" fill="#fff"/>')),
    width: 100,
    height: 50,
  };
  beforeAll(async () => {
    ({ page } = await newPage());
  });

  const logos = [undefined, logo, { ...logo, height: 100 }];
  test.each<Partial<QrDesign>>([
    ...QR_SHAPES.flatMap((dots, i) => QR_SHAPES.map((corners, j) => ({ dots, corners, logo: logos[(i + j) % 3] }))),
    { logo: { ...logo, height: 10_000 }, words: 'W'.repeat(60) },
    { color: '#949494', dots: 'round' },
    { color: '#7f1d1d', background: '#fef3c7', dots: 'rounded', words: 'Scan me' },
    { background: 'transparent', dots: 'round', logo },
  ])('is readable at three sizes (%#)', async (style) => {
    for (const size of [200, 400, 600]) {
      const design = { ...STANDARD, ...style, size };
      expect([size, await textIn(page, uriOf(svgOf(codeOf(URL_IN_CODE, design), design)))]).toEqual([
        size,
        URL_IN_CODE,
      ]);
    }
  });

  test('is readable with each margin', async () => {
    for (let margin = QR_MARGIN.least; margin <= QR_MARGIN.most; margin++) {
      const design = { ...STANDARD, dots: 'rounded', margin, words: 'Menu', logo, size: 400 } as const;
      const svg = svgOf(codeOf(URL_IN_CODE, design), design);
      expect([margin, await textIn(page, uriOf(svg))]).toEqual([margin, URL_IN_CODE]);
    }
  });
});

test('a design is drawn, read back, remembered and undone, and colors that do not scan are refused', async () => {
  const { page, api } = await newUser();
  const { slug } = await newLink(api, { custom_slug: freshSlug() });
  const url = `${(await api('GET', '/api/v1/account')).body.redirect_base_url}/${slug}`;
  await page.goto(`${waypost.api}/links`);
  await button(page, `QR code of ${slug}`).press('Enter');
  const dialog = page.getByRole('dialog');
  const file = async (format: 'SVG' | 'PNG') => downloaded(page, () => inDialog(page, format).click());
  const bytes = async (download: Download) => fs.readFileSync(await download.path());
  await dialog.getByRole('img', { name: `QR code of ${url}` }).waitFor();

  const plain = { SVG: await bytes(await file('SVG')), PNG: await bytes(await file('PNG')) };
  for (const [format, mine] of Object.entries(plain)) {
    const path = `/api/v1/links/${slug}/qr?size=1024&format=${format.toLowerCase()}`;
    const answer = await page.evaluate<string>(
      `fetch('${path}').then((r) => r.blob()).then((b) => new Promise((done) => { const f = new FileReader(); f.onload = () => done(f.result.split(',')[1]); f.readAsDataURL(b); }))`,
    );
    expect(mine.equals(Buffer.from(answer, 'base64'))).toBe(true);
  }

  await dialog.getByLabel('Color', { exact: true }).fill('#bbbbbb');
  await dialog.getByText('must have a contrast of 3 to 1 to the background, and be the darker of the two').waitFor();
  expect(await inDialog(page, 'SVG').getAttribute('aria-disabled')).toBe('true');
  await dialog.getByLabel('Color', { exact: true }).fill('#14532d');
  await dialog.getByRole('group', { name: 'Dots' }).getByText('Rounded').press('Enter');
  await dialog.getByRole('group', { name: 'Corners' }).getByText('Round', { exact: true }).press('Enter');
  await dialog.getByLabel('Margin').press('ArrowLeft');
  await dialog.getByLabel('Text under the code').fill('Scan for the menu');
  const logo = await page.screenshot({ caret: 'initial', clip: { x: 0, y: 0, width: 300, height: 200 } });
  await dialog.getByLabel('Logo', { exact: true }).setInputFiles(pngFile(logo));
  await button(page, 'Remove logo').waitFor();
  await dialog.getByLabel('Background', { exact: true }).fill('#1e3a8a');
  await dialog.getByText('must have a contrast of 3 to 1 to the background').waitFor();
  await check(page, 'qr-design');
  await dialog.getByLabel('Background', { exact: true }).fill('#fef3c7');
  for (const size of ['256', '1024', '4096']) {
    await dialog.getByLabel('Size').selectOption(size);
    for (const format of ['SVG', 'PNG'] as const) {
      const download = await file(format);
      expect(download.suggestedFilename()).toBe(`${slug}.${format.toLowerCase()}`);
      expect(await textInFile(page, download)).toBe(url);
      if (format === 'PNG') expect((await bytes(download)).readUInt32BE(20)).toBe(Number(size));
    }
  }

  await page.reload();
  await button(page, `QR code of ${slug}`).click();
  expect(await dialog.getByLabel('Color', { exact: true }).inputValue()).toBe('#14532d');
  expect(await dialog.getByLabel('Text under the code').inputValue()).toBe('Scan for the menu');
  expect(await dialog.getByLabel('Size').inputValue()).toBe('4096');
  await button(page, 'Remove logo').waitFor();
  await page.keyboard.press('Escape');
  await page.goto(`${waypost.api}/links/${slug}`);
  await page.getByRole('img', { name: `QR code of ${url}` }).waitFor();
  await button(page, 'Design…').click();
  await inDialog(page, 'Reset').click();
  expect((await bytes(await file('SVG'))).equals(plain.SVG)).toBe(true);
}, 120_000);

test('a hostile logo does nothing: no script runs, nothing is loaded and no time is lost', async () => {
  const { page, api } = await newUser({ locale: 'de' });
  const { slug } = await newLink(api);
  await page.goto(`${waypost.api}/links/${slug}`);
  await button(page, 'Gestalten…').click();
  const logo = page.getByRole('dialog').getByLabel('Logo', { exact: true });
  const levels = (part: (i: number) => string) => times(40, part).join('');
  const shape = '<rect width="10" height="10"/>';
  const clipped = (i: number) => `<rect width="9" height="9" clip-path="url(#a${i})"/>`;
  const partial = 'Einige Teile dieses SVG wurden weggelassen';
  const unreadable = 'Diese Datei ist als SVG oder PNG nicht lesbar.';
  const huge = Buffer.from('89504e470d0a1a0a0000000d49484452000fffff000fffff0806000000', 'hex');
  const run = 'globalThis.hacked = 1; fetch("https://hostile.example/")';
  const image = '<image href="https://hostile.example/a.png" width="9" height="9"/>';
  const html = `<foreignObject width="9" height="9"><img xmlns="http://www.w3.org/1999/xhtml" src="x" onerror='${run}'/></foreignObject>`;
  const css =
    '<style>@import url(https://hostile.example/a.css); rect { fill: url(https://hostile.example/a.svg#b) }</style>';
  for (const [what, sent, problem] of [
    [
      'scripts and addresses',
      svgFile(svgOfShapes(`<script>${run}</script>${image}${html}${css}${shape}`, `viewBox="0 0 9 9" onload='${run}'`)),
      partial,
    ],
    [
      '2^40 copies',
      svgFile(
        svgOfShapes(
          `<g id="a0">${shape}</g>${levels((i) => `<g id="a${i + 1}"><use href="#a${i}"/><use href="#a${i}"/></g>`)}`,
        ),
      ),
      partial,
    ],
    [
      'patterns in patterns',
      svgFile(
        svgOfShapes(
          `<pattern id="a0" width="1" height="1">${shape}</pattern>${levels((i) => `<pattern id="a${i + 1}" width=".1" height=".1"><rect width="9" height="9" fill="url(#a${i})"/></pattern>`)}<rect width="100" height="50" fill="url(#a40)"/>`,
        ),
      ),
      partial,
    ],
    [
      'clips in clips',
      svgFile(
        svgOfShapes(
          `<clipPath id="a0">${shape}</clipPath>${levels(
            (i) => `<clipPath id="a${i + 1}">${clipped(i).repeat(8)}</clipPath>`,
          )}${clipped(40)}`,
        ),
      ),
      '',
    ],
    [
      'entities',
      svgFile(`<!DOCTYPE svg [<!ENTITY a "b"><!ENTITY c "&a;&a;">]>${svgOfShapes('<text>&c;</text>')}`),
      unreadable,
    ],
    ['a huge size', svgFile(svgOfShapes(shape, 'width="1e9" height="1e9"')), ''],
    ['a tower of groups', svgFile(svgOfShapes(`${'<g>'.repeat(200)}${shape}${'</g>'.repeat(200)}`)), unreadable],
    ['no size', svgFile(svgOfShapes(shape, '')), unreadable],
    ['no picture', svgFile('hello'), unreadable],
    ['a PNG of a million pixels a side', pngFile(huge), 'Das Bild ist breiter oder höher als 4.096 Pixel.'],
    [
      'half a PNG',
      pngFile(Buffer.from('89504e470d0a1a0a0000000d4948445200000010000000100806000000', 'hex')),
      unreadable,
    ],
    ['200 kB and a byte', pngFile(Buffer.alloc(200_001)), 'Die Datei hat mehr als 200 kB.'],
  ] as const) {
    await logo.setInputFiles(sent);
    const problemShown = page.locator('dialog .field:has([type=file]) .err');
    await (problem === ''
      ? problemShown.and(page.locator(':empty'))
      : problemShown.filter({ hasText: problem })
    ).waitFor({
      state: 'attached',
    });
    expect([what, await page.evaluate('globalThis.hacked')]).toEqual([what, undefined]);
  }
}, 60_000);

/** The number of pages, and the size of each in points. */
async function printed(page: Page): Promise<readonly [pages: number, width: number, height: number]> {
  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
  const [, width, height] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(pdf) ?? [];
  return [pdf.match(/\/Type \/Page\b/g)?.length ?? 0, Math.round(Number(width)), Math.round(Number(height))];
}

test('a phone selects links for a sheet', async () => {
  const { page, api } = await newUser();
  const slugs = [(await newLink(api)).slug, (await newLink(api)).slug, (await newLink(api)).slug];
  await page.setViewportSize({ width: 360, height: 800 });
  await page.goto(`${waypost.api}/links`);
  for (const slug of slugs.slice(0, 2)) await page.getByLabel(`Select ${slug}`).click();
  await check(page, 'selected on a phone');
  await page.setViewportSize({ width: 360, height: 800 });
  await button(page, 'Print QR codes').click();
  await heading(page, '2 QR codes to print').waitFor();
});

test('selected links are printed on a sheet: clean pages, whole codes, up to 500', async () => {
  const { page, api } = await newUser();
  const { redirect_base_url: base } = (await api('GET', '/api/v1/account')).body;
  const slugs = [(await newLink(api, { title: 'Spring menu' })).slug, (await newLink(api)).slug];
  await page.goto(`${waypost.api}/links`);
  await page.getByLabel('Select all on this page').press('Space');
  await button(page, 'Print QR codes').press('Enter');
  await heading(page, '2 QR codes to print').waitFor();
  await check(page, 'sheet');
  const codes = page.locator('.paper li');
  expect(await codes.allTextContents()).toEqual([expect.stringContaining(slugs[1]!), 'Spring menu']);
  await page.getByText('Short link').press('Enter');
  expect(await codes.allTextContents()).toEqual(slugs.toReversed().map((slug) => expect.stringContaining(slug)));
  await page.evaluate('globalThis.print = () => { globalThis.printed = true; }');
  await button(page, 'Print…').press('Enter');
  expect(await page.evaluate('globalThis.printed')).toBe(true);
  expect(await printed(page)).toEqual([1, 595, 842]);
  await page.getByText('Letter').press('Enter');
  expect(await printed(page)).toEqual([1, 612, 792]);

  const many = times(501, (i) => ({
    slug: `${'menu-of-table-'.repeat(3)}${i}`,
    title: null,
    status: i === 0 ? 'revoked' : 'active',
  }));
  const logo = { href: LOGO, width: 2, height: 1 };
  const design = { dots: 'round', corners: 'rounded', color: '#14532d', words: 'x', logo };
  await page.evaluate(`
    localStorage.setItem('qr-design', ${JSON.stringify(JSON.stringify(design))});
    history.replaceState(${JSON.stringify(many)}, '')`);
  await page.reload();
  await heading(page, '500 QR codes to print').waitFor();
  await page.getByText('The first 500 of 501 are here.').waitFor();
  await page.getByText('1 link does not redirect').waitFor();
  expect(await printed(page)).toEqual([56, 595, 842]);
  for (const i of [0, 499]) {
    const picture = await codes.nth(i).locator('.code').screenshot({ caret: 'initial' });
    expect(await textIn(page, `data:image/png;base64,${picture.toString('base64')}`)).toBe(`${base}/${many[i]!.slug}`);
  }
  await page.getByLabel('Codes per row').selectOption('6');
  await page.getByText('14 pages').waitFor();
  // The same address again would be a reload, which keeps the selection.
  await page.goto('about:blank');
  await page.goto(`${waypost.api}/qr-codes`);
  await page.getByText('No links are selected').waitFor();
}, 120_000);

test('a browser that keeps nothing says so, and the design lasts until the page is left', async () => {
  const { page, api } = await newUser();
  const { slug } = await newLink(api);
  await page.addInitScript(
    "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }",
  );
  await page.goto(`${waypost.api}/links/${slug}`);
  await button(page, 'Design…').click();
  await page.getByRole('dialog').getByLabel('Color', { exact: true }).fill('#14532d');
  await page.getByText('This browser could not keep the design').waitFor();
  await page.keyboard.press('Escape');
  expect(await page.locator('.qr img').getAttribute('src')).toContain('14532d');
  await page.reload();
  await page.locator('.qr img').waitFor();
  expect(await page.locator('.qr img').getAttribute('src')).not.toContain('14532d');
}, 60_000);

test('no browser complained or sent requests to other hosts', () => expectContent());
