import { expect, test } from '@jest/globals';
import { waitFor } from '@testing-library/react';
import {
  type Answer,
  type Answers,
  account,
  button,
  field,
  fileOf,
  hidden,
  link,
  press,
  refusal,
  see,
  show,
  type,
} from '../../test/screen.tsx';
import Many from './bulk.tsx';

const POST = 'POST /api/v1/links/bulk';
const ACCOUNT = { 'GET /api/v1/account': () => [200, account] } satisfies Answers;
const LINES = 'One link per line';
const urls = (count: number) => Array.from({ length: count }, (_, i) => `https://www.example.com/${i}`);

function apiOf(refused: Readonly<Record<string, string>> = {}) {
  return ({ query, body: { links } }: { query: string; body: { links: { destination_url: string }[] } }): Answer => {
    const details = Object.fromEntries(
      links.flatMap(({ destination_url: url }, i) =>
        refused[url] === undefined ? [] : [[`links[${i}].destination_url`, refused[url]]],
      ),
    );
    if (Object.keys(details).length > 0) return [400, refusal(details)];
    const of = ({ destination_url: url }: { destination_url: string }) => ({
      ...link(url.slice(-1)),
      destination_url: url,
    });
    return query === '?dry_run=true'
      ? [200, { links: links.map((each) => ({ link: of(each) })) }]
      : [201, { links: links.map((each) => ({ link: of(each), short_url: `https://way.example/${of(each).slug}` })) }];
  };
}

test('bad rows are marked and can be left out, the others are created, and the results can be downloaded', async () => {
  const [a, b] = urls(2);
  show(<Many account={account} />, { ...ACCOUNT, [POST]: apiOf({ 'www.no-scheme': 'must be a URL' }) });
  type(LINES, `${a}, own\nwww.no-scheme\n${b}, own\n${b}`);
  press('Check 4 links');
  await see('destination_url must be a URL');
  await see('Same address as line 1');
  expect(button('Create 4 links').getAttribute('aria-disabled')).toBe('true');
  press('Leave out 2 rows');
  press('Create 2 links');
  await see('2 of 2 created');
  const results = await fileOf(() => press('Download the results'));
  expect(results.split('\r\n')).toEqual([
    'place,status,slug,short_url,problem,destination_url',
    `line 1,active,0,https://way.example/0,,${a}`,
    `line 4,active,1,https://way.example/1,,${b}`,
    '',
  ]);
  press('Another list');
  expect(field(LINES).value).toBe('');
});

test('after a lost answer, no link is missing and no link is created twice', async () => {
  const answers: Answers = { ...ACCOUNT, [POST]: apiOf() };
  const sent = show(<Many account={account} />, answers);
  type(LINES, urls(2).join('\n'));
  press('Check 2 links');
  await waitFor(() => button('Create 2 links'));
  answers[POST] = () => undefined;
  press('Create 2 links');
  await see(/^No response for 2 rows\./);
  answers[POST] = apiOf();
  press('Continue');
  await see('2 of 2 created');
  const keys = sent.filter(({ what, query }) => what === POST && query === '').map(({ key }) => key);
  expect([keys.length > 1, new Set(keys).size]).toEqual([true, 1]);
});

test('a tag that is added during the check is on the created links', async () => {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const answers: Answers = { ...ACCOUNT, [POST]: () => promise };
  const sent = show(<Many account={account} />, answers);
  type(LINES, urls(2).join('\n'));
  press('Check 2 links');
  await see('0 of 2 checked');
  type('Tags for all', 'late,');
  answers[POST] = apiOf();
  resolve([200, { links: [] }]);
  await waitFor(() => press('Check 2 links'));
  await waitFor(() => press('Create 2 links'));
  await see('2 of 2 created');
  expect(sent.at(-1)?.body.links.map(({ tags }: { tags: string[] }) => tags)).toEqual([['late'], ['late']]);
});

test('the page says when the list exceeds the quota, and when the text is not a list of links', async () => {
  show(<Many account={{ ...account, quota: { ...account.quota, limit: 2 } }} />, { [POST]: apiOf() });
  type(LINES, urls(3).join('\n'));
  press('Check 3 links');
  await see(/^Of these 3 links, you can create 2 now/);
  type(LINES, '[1, ');
  await see(/not valid JSON/);
  expect(hidden('Preview')).toBe(true);
});

test('campaign parameters for all rows are part of each destination, beside the columns of a row', async () => {
  const sent = show(<Many account={account} />, { ...ACCOUNT, [POST]: apiOf() });
  const [a, b] = urls(2);
  type(LINES, `destination_url,utm_term\n${a},x\n${b}?utm_source=old,`);
  press('Campaign');
  type('Source', 'mail');
  await see('Replaced in the URL: utm_source.');
  expect(document.querySelector('.utm bdi')!.textContent).toBe(`${a}?utm_term=x&utm_source=mail`);
  press('Check 2 links');
  await waitFor(() => press('Create 2 links'));
  await see('2 of 2 created');
  const destinations = sent.at(-1)?.body.links.map(({ destination_url: url }: { destination_url: string }) => url);
  expect(destinations).toEqual([`${a}?utm_term=x&utm_source=mail`, `${b}?utm_source=mail`]);
});

test('an export is taken with its addresses, and the page says what it leaves out', async () => {
  const sent = show(<Many account={account} />, { ...ACCOUNT, [POST]: apiOf() });
  type(LINES, `slug,destination_url,status\nabc,${urls(1)[0]},active\ndef,${urls(2)[1]},revoked`);
  await see('Ignored columns, which a new link cannot have: status.');
  await see('Skipped: 1 link that is revoked or flagged.');
  press('Check 1 link');
  await waitFor(() => button('Create 1 link'));
  const [checked] = sent.filter(({ what }) => what === POST);
  expect(checked?.body.links).toEqual([{ destination_url: urls(1)[0], custom_slug: 'abc' }]);
});
