import { randomBytes } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { formatApiKey } from '@waypost/domain';
import { depsWith, testServer } from '../../test/link-api-under-test.ts';
import { createLinkApi } from '../app.ts';

const DESTINATION = 'https://www.wikipedia.org/';
const key = formatApiKey(randomBytes(32));
const { server, base } = testServer();
beforeAll(() => {
  const deps = depsWith({
    keys: {
      authenticate: async () => ({
        accountId: 'ada',
        keyId: 'b7a5f3a0-7d52-4b7c-9a52-0f3c1f6f2b44',
        admin: false,
        scopes: ['read', 'write'],
        creations: { limit: 500, window: undefined },
      }),
    },
    scanner: {
      scan: async (urls) => ({
        generation: '1',
        verdicts: urls.map((url) => ({ url, outcome: 'clean', threat_type: null, reasons: [] })),
      }),
    },
    // The clock stands still, so no row comes back.
    now: () => new Date('2026-11-26T12:00:00.000Z'),
  });
  server.on('request', createLinkApi(deps).app);
});

const statusOf = async (path: string, body: object) => {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  return (await fetch(`${base()}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).status;
};

test('checks of addresses and dry runs share one limit of an account', async () => {
  const check = () => statusOf('/check', { url: DESTINATION });
  const links = Array.from({ length: 500 }, () => ({ destination_url: DESTINATION }));
  for (let run = 1; run < 20; run++) expect(await statusOf('/links/bulk?dry_run=true', { links })).toBe(200);
  for (let i = 0; i < 500; i++) expect(await check()).toBe(200);
  expect(await check()).toBe(429);
});
