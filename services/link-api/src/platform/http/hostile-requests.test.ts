/** For any request, the cost must not grow faster than its size, and the answer must stay small. */
import { describe, expect, test } from '@jest/globals';
import { DomainError, isSlug, parseAllowed, type UrlPolicy } from '@waypost/domain';
import { costOfDoubling } from '@waypost/test-support';
import { bearerOf } from '../../keys/authenticate.http.ts';
import { createLinkEndpoint } from '../../links/create.endpoint.ts';
import { createLinksInBulkEndpoint } from '../../links/create-in-bulk.endpoint.ts';
import { listLinksEndpoint } from '../../links/list.endpoint.ts';
import { hasManyFields, withoutArguments } from '../../tools/routes.ts';
import { input, readBody, readQuery } from '../input.ts';
import { isJson, parseJson } from './body.ts';
import { HttpError } from './errors.ts';
import { idempotencyKey } from './idempotency.ts';
import { requestId } from './identify.ts';

const policy: UrlPolicy = { registrableDomain: () => 'example.org', ownHosts: [], allowed: parseAllowed([]) };
const { body: newLink } = createLinkEndpoint(policy);
const { body: newLinks } = createLinksInBulkEndpoint(policy);
const listQuery = input(listLinksEndpoint.query);
const URL_ = 'https://example.org/';

function refusal(work: () => unknown): { message: string; details: Record<string, string> } {
  try {
    work();
  } catch (error) {
    if (!(error instanceof DomainError || error instanceof HttpError)) throw error;
    return { message: error.message, details: (error.details ?? {}) as Record<string, string> };
  }
  throw new Error('it was not refused');
}
const one = (body: unknown) => refusal(() => readBody(newLink!, body));
const many = (links: unknown) => refusal(() => readBody(newLinks!, { links }));
const listed = (query: string) => () => readQuery(listQuery, Object.fromEntries(new URLSearchParams(query)));
const list = (count: number, entry: (i: number) => unknown) => Array.from({ length: count }, (_, i) => entry(i));
const fields = (count: number) => Object.fromEntries(list(count, (i) => [`f${i}`, 1]) as [string, number][]);

describe('the check of a request', () => {
  test.each([11, 100, 101, 50_000, 1_000_000])('reports one fault for a list of %i tags that are numbers', (count) => {
    expect(one({ destination_url: URL_, tags: list(count, () => 1) }).details).toEqual({
      tags: 'must have at most 10 entries',
    });
  });

  test('does not count repeated tags', () => {
    const tags = [...'abcdefghij', 'a', ' b '];
    expect(readBody(newLink!, { destination_url: URL_, tags }).tags).toEqual([...'abcdefghij']);
    expect(one({ destination_url: URL_, tags: [...tags, ''] }).details).toEqual({
      tags: 'must have at most 10 entries',
    });
    expect(Object.keys(one({ destination_url: URL_, tags: ['a', 'a', ''] }).details)).toEqual(['tags[2]']);
  });

  test('names up to ten faults in each bad row, and counts the others', () => {
    const single = one({ destination_url: 'x', ...fields(100_000) });
    expect(Object.keys(single.details)).toHaveLength(10);
    expect(single.details).toHaveProperty('destination_url');
    expect(single.message).toMatch(/, and 100000 more errors\.$/);

    const { details, message } = many(list(500, () => ({ ...fields(20) })));
    expect(Object.keys(details)).toHaveLength(5_000);
    for (let i = 0; i < 500; i++) expect(details).toHaveProperty([`links[${i}].destination_url`]);
    expect(message).toMatch(/, and 10499 more errors\.$/);
  });

  test('reports one fault for a list that is too long, and does not check its rows', () => {
    expect(many(list(501, () => 7)).details).toEqual({ links: 'must have at most 500 entries' });
    expect(many([]).details).toEqual({ links: 'must have 1 or more entries' });
    expect(Object.keys(refusal(() => readBody(newLinks!, { links: list(9_999, () => 7), more: 1 })).details)).toEqual([
      'links',
      'more',
    ]);
  });

  test('names repeated slugs together with all other faults', () => {
    const row = { destination_url: URL_, custom_slug: 'twice' };
    expect(
      many([row, { destination_url: 'x' }, { ...row, colour: 1 }, { ...row, destination_url: '' }]).details,
    ).toEqual({
      'links[1].destination_url': expect.any(String),
      'links[2].colour': 'is not a known field',
      'links[2].custom_slug': 'is the same as links[0].custom_slug',
      'links[3].custom_slug': 'is the same as links[0].custom_slug',
      'links[3].destination_url': expect.any(String),
    });
  });

  test('repeats no long name or text', () => {
    for (const body of [
      { destination_url: URL_, ['n'.repeat(1_000_000)]: 1 },
      { destination_url: URL_, custom_slug: 's'.repeat(1_000_000) },
      { destination_url: `https://${'h'.repeat(1_000_000)}/` },
      { destination_url: URL_, tags: ['t'.repeat(1_000_000)] },
    ]) {
      const { details, message } = one(body);
      expect(JSON.stringify(details).length + message.length).toBeLessThan(500);
    }
    const { details } = refusal(() => parseJson(Buffer.from(`{"${'k'.repeat(1_000_000)}": nonsense}`)));
    expect(JSON.stringify(details).length).toBeLessThan(500);
  });

  test('reports one fault for a filter with too many tags, and counts a repeated tag once', () => {
    const query = (tags: unknown) => () => readQuery(listQuery, { tag: tags });
    expect(query(list(8_000, () => 'a'))()).toMatchObject({ tag: ['a'] });
    expect(Object.keys(refusal(query(list(8_000, (i) => `t${i}`))).details)).toEqual(['tag']);
    expect(Object.keys(refusal(listed(list(8_000, (i) => `p${i}=1`).join('&'))).details)).toHaveLength(10);
  });
});

test('the SDK of the tool server gets no arguments of a tool call, but other messages completely', () => {
  const input = { tags: list(1_000, () => ({})) };
  const call = { method: 'tools/call', params: { name: 'create_short_link', arguments: input } };
  expect(withoutArguments(call)).toEqual({
    body: { method: 'tools/call', params: { name: 'create_short_link' } },
    input,
  });
  const others = [
    { method: 'prompts/get', params: { name: 'x', arguments: { a: 'b' } } },
    { method: 'tools/call', params: { name: 'x', arguments: 'no object' } },
  ];
  for (const body of others) expect(withoutArguments(body)).toEqual({ body, input: {} });
});

test('the check does not read unknown fields after the tenth', () => {
  let looks = 0;
  const body = new Proxy(fields(1_000), {
    get: (target, name) => {
      looks++;
      return Reflect.get(target, name);
    },
  });
  expect(one(body).message).toMatch(/, and 1000 more errors\.$/);
  expect(looks).toBeLessThan(10);
});

describe('nesting in a JSON body', () => {
  const nested = (depth: number, open: string, close: string) => Buffer.from(open.repeat(depth) + close.repeat(depth));

  test('is accepted up to 64 levels, and refused above', () => {
    expect(parseJson(nested(64, '[', ']'))).toBeInstanceOf(Array);
    for (const [depth, open] of [
      [65, '['],
      [1_000_000, '['],
      [400_000, '{"a":'],
      [400_000, '[{"[":'],
    ] as const) {
      expect(refusal(() => parseJson(nested(depth, open, ''))).details.body).toMatch(/more than 64 levels/);
    }
  });

  test('does not include brackets in strings', () => {
    expect(parseJson(Buffer.from(JSON.stringify(['['.repeat(1_000), '\\"[{'.repeat(1_000)])))).toHaveLength(2);
  });
});

describe('fields, objects and arrays', () => {
  const body = (count: number) =>
    Buffer.from(JSON.stringify(list(count / 6, (i) => ({ [`a${i}`]: ':', b: [{ c: 1 }] }))));

  test('are accepted up to 20,000 in all, and refused above', () => {
    expect(parseJson(body(19_000))).toBeInstanceOf(Array);
    const { details } = refusal(() => parseJson(body(20_000 + 1_000)));
    expect(details).toEqual({ body: 'has more than 20000 fields, objects and arrays' });
  });

  test('do not include the text in strings', () => {
    expect(parseJson(Buffer.from(JSON.stringify([':'.repeat(30_000), '\\":{'.repeat(30_000)])))).toHaveLength(2);
  });
});

describe('a doubled input never costs more than 2.5 times as much', () => {
  const spread = (size: number, text: string) => text.repeat(Math.ceil(size / text.length)).slice(0, size);
  const hostile: [what: string, inputOf: (size: number) => unknown, work: (input: never) => unknown, size: number][] = [
    ['tags of numbers', (n) => ({ destination_url: URL_, tags: list(n, () => 1) }), one, 200_000],
    ['tags that are the same', (n) => ({ destination_url: URL_, tags: list(n, () => 'a') }), one, 200_000],
    ['a long tag', (n) => ({ destination_url: URL_, tags: [`x${' '.repeat(n)}x`] }), one, 500_000],
    ['a long slug', (n) => ({ destination_url: URL_, custom_slug: '-'.repeat(n) }), one, 500_000],
    ['unknown fields', (n) => ({ destination_url: URL_, ...fields(n) }), one, 500],
    ['rows that are nothing', (n) => list(n, () => 1), many, 250],
    ['rows of wrong tags', (n) => list(n, () => ({ destination_url: URL_, tags: list(100, (i) => i) })), many, 250],
    ['rows of unknown fields', (n) => list(n, () => fields(50)), many, 250],
    ['fields of a message', (n) => ({ params: { arguments: fields(n) } }), hasManyFields, 500],
    ['brackets', (n) => Buffer.from('['.repeat(n)), (bytes) => refusal(() => parseJson(bytes)), 500_000],
    ['shallow brackets', (n) => Buffer.from(`[${'[],'.repeat(n)}[]]`), parseJson, 9_000],
    ['quotes and backslashes', (n) => Buffer.from(`["${'\\"'.repeat(n)}`), (b) => refusal(() => parseJson(b)), 200_000],
    ['parameters', (n) => list(n, (i) => `p${i}=1`).join('&'), (text) => refusal(listed(text)), 4_000],
    ['the request id', (n) => `${'a'.repeat(n)} `, requestId, 8_000],
    ['the slug in the path', (n) => `${'a-'.repeat(n)}.`, isSlug, 8_000],
    ['a search', (n) => `search=${'a'.repeat(n)}`, (text: string) => listed(text)(), 8_000],
    ['the authorization of spaces', (n) => `Bearer ${' '.repeat(n)}x`, bearerOf, 8_000],
    ['the authorization of words', (n) => `Bearer ${'a '.repeat(n)}`, bearerOf, 8_000],
    ['the content type of spaces', (n) => `application/json;charset${' '.repeat(n)}x`, isJson, 8_000],
    ['the content type of parameters', (n) => `application/json${';charset'.repeat(n)}`, isJson, 1_000],
    [
      'the idempotency key',
      (n) => spread(n, 'a b'),
      (key) => refusal(() => idempotencyKey({ name: 'key', value: key })),
      8_000,
    ],
  ];
  test.each(hostile)('%s', async (_what, inputOf, work, size) => {
    expect(await costOfDoubling(inputOf, work as (input: unknown) => unknown, size)).toBeLessThan(2.5);
  });
});
