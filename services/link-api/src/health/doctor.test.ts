import { expect, test } from '@jest/globals';
import type { ThreatFeed } from '@waypost/ports';
import { doctor } from './doctor.ts';

const feeds = { list: async (): Promise<ThreatFeed[]> => [] };
const HERE = { feeds, baseUrl: 'https://go.example', redirectBaseUrl: 'http://localhost:8081' };
const now = () => new Date('2026-11-21T12:00:00Z');
const check = (state: () => { ok: boolean; detail?: string }) => ({ required: true, check: state });

test('finds what does not work and says what to do', async () => {
  const health = {
    database: check(() => ({ ok: true })),
    disk: check(() => ({ ok: false, detail: 'the disk is full: 0 bytes are left' })),
    kafka: check(() => {
      throw new Error('no broker');
    }),
  };
  const { ok, checks } = await doctor({ ...HERE, health, now });
  expect(ok).toBe(false);
  const by = Object.fromEntries(checks.map(({ name, ...rest }) => [name, rest]));
  expect(by.database).toEqual({ ok: true, detail: 'works' });
  expect(by.disk).toEqual({ ok: false, detail: expect.stringMatching(/^the disk is full.*Free disk space/) });
  expect(by.kafka).toEqual({ ok: false, detail: expect.stringMatching(/Clicks stay on disk/) });
});

test.each([
  ['https://go.example', true],
  ['http://127.0.0.1:8081', true],
  ['http://[::1]:8081', true],
  ['http://go.example', false],
  ['http://127.0.0.1.example', false],
])('checks short links at %s: ok is %p', async (redirectBaseUrl, ok) => {
  expect((await doctor({ ...HERE, redirectBaseUrl, health: {}, now })).ok).toBe(ok);
});

test('reports lists that name this service, with their removal page, and lists that stand still', async () => {
  const feed = {
    entries: 1,
    updated_at: '2026-10-01T00:00:00.000Z',
    age_seconds: 4_000_000,
    stale: false,
    last_error: null,
    own_addresses: [],
    own_links: [{ entry: 'k7Qm2Rx', since: '2026-11-20T09:00:00.000Z' }],
    removal_url: null,
  };
  const listing = { entry: 'go.example/', since: '2026-11-19T09:00:00.000Z' };
  const list = async () => [
    { ...feed, name: 'quiet', stale: true },
    {
      ...feed,
      name: 'loud',
      own_addresses: [listing, { ...listing, entry: 'example/' }],
      removal_url: 'https://x.net/',
    },
  ];
  const { ok, checks } = await doctor({ ...HERE, feeds: { list }, health: {}, now });
  expect(ok).toBe(false);
  const by = Object.fromEntries(checks.map(({ name, ...rest }) => [name, rest]));
  expect(by.feeds).toEqual({ ok: true, detail: 'out of date: quiet' });
  expect(by.own_addresses).toEqual({
    ok: false,
    detail: expect.stringMatching(/^loud lists go\.example\/ and 1 more since 2026-11-19 \(.*https:\/\/x\.net\/\)/),
  });
  const silent = { list: () => Promise.reject(new Error('away')) };
  expect((await doctor({ ...HERE, feeds: silent, health: {}, now })).ok).toBe(false);
});

test('reports a clock that is earlier than this release', async () => {
  expect((await doctor({ ...HERE, health: {}, now: () => new Date(0) })).ok).toBe(false);
});
