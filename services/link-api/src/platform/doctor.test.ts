import { expect, test } from '@jest/globals';
import { doctor } from './doctor.ts';

const HERE = { baseUrl: 'https://go.example', redirectBaseUrl: 'http://localhost:8081' };
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
  expect(by.disk).toEqual({ ok: false, detail: expect.stringMatching(/^the disk is full.*Make room/) });
  expect(by.kafka).toEqual({ ok: false, detail: expect.stringMatching(/Clicks wait on disk/) });
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

test('reports a clock that is earlier than this release', async () => {
  expect((await doctor({ ...HERE, health: {}, now: () => new Date(0) })).ok).toBe(false);
});
