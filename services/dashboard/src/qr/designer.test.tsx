import { beforeEach, expect, test } from '@jest/globals';
import { button, field, fileOf, press, see, show, type } from '../../test/screen.tsx';
import { QrCode } from '../links/qr.tsx';

beforeEach(() => localStorage.clear());

const QR = 'GET /api/v1/links/abc/qr';
const open = async () => {
  const sent = show(<QrCode url="https://way.example/abc" slug="abc" />, { [QR]: () => [500, {}] });
  press('Design…');
  await see('Text under the code');
  return sent;
};
const svg = () => fileOf(() => press('SVG'));

test('colors that do not scan are refused with the words of the API, and the last ones that do stay', async () => {
  await open();
  type('Color', '#14532d');
  type('Background', '#1e3a8a');
  await see('Color must have a contrast of 3 to 1 to the background, and be the darker of the two.');
  expect(field('Color').getAttribute('aria-invalid')).toBe('true');
  expect([button('SVG').ariaDisabled, button('PNG').ariaDisabled]).toEqual(['true', 'true']);
  type('Background', '#fef3c');
  await see('Background must be a color such as #1e3a8a.');
  type('Background', '#fef3c7');
  const drawn = await svg();
  expect(drawn).toContain('#14532d');
  expect(drawn).toContain('#fef3c7');
});

test('a PNG with the options of the API comes from it', async () => {
  const sent = await open();
  type('Color', '#14532d');
  press('PNG');
  await see('The picture could not be drawn. Try a smaller size, or SVG.');
  const query = Object.fromEntries(new URLSearchParams(sent.find(({ what }) => what === QR)?.query));
  expect(query).toEqual({ format: 'png', size: '1024', margin: '4', color: '#14532d', background: '#ffffff' });
});

test.each([
  ['no JSON', '{'],
  ['no object', '7'],
  ['another version', '{"dots":"stars","margin":99,"size":"512","logo":{"href":"https://a.example/"},"words":7}'],
  ['colors that look alike', '{"color":"#ffffff"}'],
  ['a logo that is markup', '{"logo":{"href":"data:image/png;base64,\\"/><script/>","width":1,"height":1}}'],
])('an unusable design in the storage (%s) is that of a new browser', async (_what, text) => {
  await open();
  const standard = await svg();
  document.body.innerHTML = '';
  localStorage.setItem('qr-design', text);
  await open();
  expect(await svg()).toBe(standard);
});
