/** These files are not exports. services/all-in-one/test/moving/moving.long.ts tests the exports of each service. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { newFolder } from '@waypost/test-support/afterwards';
import { importFile } from '../src/index.ts';

const folder = newFolder();
const header = 'slug,destination_url\n';
const good = Array.from({ length: 600 }, (_, i) => `slug-${i},https://www.wikipedia.org/?${i}\n`).join('');

test.each<[from: string, content: string | Buffer, words: RegExp]>([
  ['csv', '', /empty/],
  ['csv', good, /Line 1 .*header/],
  ['csv', `${header}${good}abc,"https://example.com/\n`, /line 602/i],
  ['csv', `${header}${good}abc,"https"x"\n${good}abc,"https"x"\n`, /line 602[\s\S]*line 1203/i],
  ['csv', Buffer.concat([Buffer.from(header + good), Buffer.from([0x61, 0xff, 0x62, 10])]), /UTF-8.*line 602/],
  ['csv', Buffer.concat([Buffer.from(header + good), Buffer.from([0xe2, 0x82])]), /UTF-8.*line 602/],
  ['csv', '{"slug":"abc","destination_url":"https://www.wikipedia.org/"}\n{"slug":\n', /Line 2/],
  ['csv', `${header}${'a'.repeat(2_000_000)}`, /max_record_size|record/i],
  ['bitly', `${header}${good}`, /long url/],
  ['kutt', '{"data":[{"address":"abc","target":"https://example.com/"},', /ends early, after entry 1/],
  ['kutt', '{"data":[{"address":"abc","target":"https://example.com/"},oops', /not JSON after entry 1/],
  ['kutt', '{"data":[{"address":"abc","target":"https://example.com/"}]}\n{"data":[', /ends early, after entry 1/],
  ['kutt', '{"data":[{"address":"abc","target":"https://example.com/"}]}\n<html>', /not JSON after entry 1/],
  ['kutt', '{"links":[]}', /data/],
  ['sink', '[1,2]', /Entry 1/],
  ['yourls', '-- dump\nSELECT 1;\n', /Line 1 .*header/],
])('a file that is not an export of %s sends no row, and the error says why', async (from, content, words) => {
  const file = path.join(folder, 'export');
  fs.writeFileSync(file, content);
  const sent: unknown[] = [];
  const send = async ({ rows }: Readonly<Record<string, unknown>>) => {
    sent.push(rows);
    return [];
  };
  await expect(importFile({ argument: file, options: { from, email: 'a@example.org' } }, send)).rejects.toThrow(words);
  expect(sent).toEqual(['[]']);
});
