import { expect, test } from '@jest/globals';
import { afterwards, serve } from '@waypost/test-support/afterwards';
import { clickHouseAddress, connectClickHouse } from '../src/index.ts';

test.each([
  ['http://ch:8123', { url: 'http://ch:8123', database: 'waypost' }],
  ['https://u:p%40@ch/waypost', { url: 'https://ch', username: 'u', password: 'p@', database: 'waypost' }],
  ['http://ch:8123/?database=links', { url: 'http://ch:8123', database: 'links' }],
  ['https://ch/?pathname=/proxy/ch&database=links', { url: 'https://ch', pathname: '/proxy/ch', database: 'links' }],
])('%s', (address, expected) => {
  expect(clickHouseAddress(address)).toEqual(expected);
});

test.each([
  ['https://ch.example.org/proxy', 'Give the path of a proxy as ?pathname=/proxy, and another database as ?database='],
  ['https://ch/proxy/waypost', '?pathname=/proxy'],
  ['https://ch/?databse=links', 'unknown or repeated parameter: databse'],
  ['https://ch/?database=a&database=b', 'unknown or repeated parameter'],
  ['https://ch/?database=a-b', 'has an invalid database name'],
  ['https://ch/?pathname=proxy', 'must have a pathname like /proxy'],
  ['https://ch/#x', 'must not contain a fragment (#)'],
  ['https://u:50%@ch/', 'has an invalid % in its user or password. Write % as %25'],
  ['ch:8123', 'must be a URL like http://'],
])('%s is refused', (address, words) => {
  expect(() => clickHouseAddress(address)).toThrow(words);
});

test('a proxy passes statements on from its path', async () => {
  const paths: (string | undefined)[] = [];
  const url = await serve((request, response) => {
    paths.push(request.url);
    response.end('1\n');
  });
  const client = connectClickHouse(clickHouseAddress(`${url}/?pathname=/proxy`));
  afterwards(() => client.close());
  await client.command({ query: 'SELECT 1' });
  expect(paths).toEqual([expect.stringMatching(/^\/proxy\?/)]);
});
