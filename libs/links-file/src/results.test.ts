import { expect, test } from '@jest/globals';
import type { BulkEvent, Link } from '@waypost/sdk';
import { outcomesOf } from '@waypost/sdk/bulk';
import { readLinks, resultsCsv } from './index.ts';

const link = (slug: string, status: Link['status']) => ({ slug, status }) as Link;
const KEY = 'a';

test('the results have a row for each link of the list, whatever became of it', () => {
  const list = readLinks(
    ['active', 'flagged', 'refused', 'lost', 'left'].map((host) => `https://${host}.example/`).join('\n'),
  );
  const events: BulkEvent[] = [
    { type: 'sending', key: KEY, rows: [0, 1, 2, 3], at: '2026-11-26T00:00:00.000Z' },
    {
      type: 'created',
      key: KEY,
      links: [
        { row: 0, link: link('one', 'active'), short_url: 'https://go.example/one' },
        { row: 1, link: link('two', 'flagged'), short_url: 'https://go.example/two' },
      ],
    },
    {
      type: 'refused',
      key: KEY,
      rows: [{ row: 2, problems: ['custom_slug is the same as links[1].custom_slug', '=1+1'] }],
    },
    { type: 'lost', key: KEY, rows: [3] },
    { type: 'postponed', key: KEY },
    { type: 'waiting', until: '2026-11-26T01:00:00.000Z' },
  ];
  expect(resultsCsv(list, new Map(events.flatMap(outcomesOf))).split('\r\n')).toEqual([
    'place,status,slug,short_url,problem,destination_url',
    'line 1,active,one,https://go.example/one,,https://active.example/',
    'line 2,flagged,two,https://go.example/two,,https://flagged.example/',
    'line 3,refused,,,custom_slug is the same as custom_slug of line 2; =1+1,https://refused.example/',
    'line 4,lost,,,The link may or may not have been created. Check whether it exists.,https://lost.example/',
    'line 5,left,,,,https://left.example/',
    '',
  ]);
});
