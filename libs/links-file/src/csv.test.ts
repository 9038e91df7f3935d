import { expect, test } from '@jest/globals';
import { csv, readLinks } from './index.ts';

const list = (tags: readonly string[]) =>
  csv([['destination_url', 'custom_slug', 'tags'], ...tags.map((tag) => ['https://www.wikipedia.org/', '', tag])]);

test('no cell begins like a formula, even in quotes, and each cell is read back unchanged', () => {
  const tags = ['=1+1', '+1', '-1', '@SUM(A1)', '=HYPERLINK("x"', "'=1", "''-x", '＝1', "'quoted'", "it's", 'a=b'];
  const text = list(tags);
  expect(text).not.toMatch(/(?:^|[,\n])"?[=+\-@\t\r＝＋－＠]/);
  expect(text).toContain(`,,"'=1+1"\r\n`);
  expect(text).toContain(`,,a=b\r\n`);
  expect(readLinks(text).links.map((link) => link.tags)).toEqual(tags.map((tag) => [tag]));
  expect(csv([['\t=1'], ['\r=1']])).toBe(`"'\t=1"\r\n"'\r=1"\r\n`);
});
