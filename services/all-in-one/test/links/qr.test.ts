import { beforeAll, describe, expect, test } from '@jest/globals';
import { call, connected, overHttp } from '../mcp-clients.ts';
import { product } from '../product.ts';
import { textIn } from '../qr-reader.ts';
import { expectError, freshSlug, newLink } from '../support.ts';
import type { Json } from '../waypost-process.ts';

const { waypost, api, apiKey, newClient } = product();
let slug: string;
let shortUrl: string;
beforeAll(async () => {
  ({ slug } = await newLink(api));
  const { body } = await api('GET', '/api/v1/account');
  shortUrl = `${body.redirect_base_url}/${slug}`;
});

type Query = Readonly<Record<string, string | number>>;

const pathOf = (query: Query) => {
  const parameters = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `/api/v1/links/${slug}/qr?${parameters.join('&')}`;
};

async function draw(query: Query = {}) {
  const headers = { Authorization: `Bearer ${apiKey()}` };
  const response = await fetch(`${waypost.api}${pathOf(query)}`, { headers });
  if (response.status !== 200) throw new Error(await response.text());
  return { type: response.headers.get('content-type'), bytes: Buffer.from(await response.arrayBuffer()) };
}

describe('a PNG', () => {
  test.each([64, 100, 512, 1_023, 4_096])(
    'of %d pixels has this size, and a reader finds the short URL',
    async (size) => {
      const { type, bytes } = await draw({ format: 'png', size });
      expect(type).toBe('image/png');
      expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([size, size]);
      expect(textIn(bytes)).toBe(shortUrl);
    },
  );

  test.each([
    ['with each correction', { correction: 'L' }],
    ['with each correction', { correction: 'Q' }],
    ['with each correction', { correction: 'H' }],
    ['in dark red on cream', { color: '#7f1d1d', background: '#FEF3C7' }],
    ['with a wide margin', { margin: 16 }],
    ['on a transparent background', { background: 'transparent' }],
  ])('%s is readable (%j)', async (_how, style) => {
    expect(textIn((await draw({ format: 'png', size: 400, ...style })).bytes)).toBe(shortUrl);
  });
});

test('an SVG has the size and the colors of the request', async () => {
  const { type, bytes } = await draw({ size: 300, margin: 2, color: '#1e3a8a', background: 'transparent' });
  expect(type).toMatch(/^image\/svg\+xml/);
  const svg = bytes.toString();
  expect(svg).toMatch(/^<svg [^>]*width="300" height="300".*<\/svg>$/s);
  expect(svg).toContain('#1e3a8a');
  expect(svg).not.toContain('transparent');
  expect((await draw()).bytes.toString()).toMatch(/width="512"/);
});

test('the same options give the same bytes, also from the tool server', async () => {
  const client = await connected(overHttp(waypost.api, apiKey()));
  const style = { size: 333, margin: 3, color: '#14532d', background: '#f0fdf4', correction: 'Q' };
  for (const format of ['svg', 'png'] as const) {
    const { bytes } = await draw({ ...style, format });
    expect((await draw({ ...style, format })).bytes).toEqual(bytes);
    const [picture] = (await call(client, 'generate_qr', { slug, format, ...style })).content;
    const sent = picture?.type === 'image' ? Buffer.from(picture.data, 'base64') : Buffer.from((picture as Json).text);
    expect(sent).toEqual(bytes);
  }
});

test.each<[string, Query, string]>([
  ['light gray on white', { color: '#bbbbbb' }, 'color'],
  ['light on dark', { color: '#ffffff', background: '#000000' }, 'color'],
  ['one color', { color: '#123456', background: '#123456' }, 'color'],
  ['white on a transparent background', { color: '#ffffff', background: 'transparent' }, 'color'],
  ['a name of a color', { color: 'red' }, 'color'],
  ['three digits', { background: '#fff' }, 'background'],
  ['63 pixels', { size: 63 }, 'size'],
  ['4,097 pixels', { size: 4_097 }, 'size'],
  ['fewer pixels than modules', { size: 64, margin: 16, correction: 'H' }, 'size'],
  ['a margin of 17', { margin: 17 }, 'margin'],
  ['a negative margin', { margin: -1 }, 'margin'],
  ['another correction', { correction: 'h' }, 'correction'],
  ['another format', { format: 'gif' }, 'format'],
  ['an unknown option', { logo: 'x' }, 'logo'],
])('%s is refused, and the field is named', async (_what, query, field) => {
  expectError(await api('GET', pathOf(query)), 400, [field]);
});

test('only the owner gets a code, with the scope read, also of a revoked link', async () => {
  const path = `/api/v1/links/${slug}/qr`;
  expectError(await (await newClient())('GET', path), 404);
  expectError(await api('GET', `/api/v1/links/${freshSlug()}/qr`), 404);
  expectError(await (await newClient('write'))('GET', path), 403);
  expect((await api('POST', `/api/v1/links/${slug}/revoke`)).status).toBe(200);
  expect(textIn((await draw({ format: 'png' })).bytes)).toBe(shortUrl);
});
