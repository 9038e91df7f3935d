import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { BlockList } from 'node:net';
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { createMetrics } from '@waypost/telemetry';
import { until } from '@waypost/test-support';
import { testServer } from '../../../test/link-api-under-test.ts';
import { apiCounts } from '../../metrics.ts';
import { shedLoad } from './shed-load.ts';

const lines: { error_id: string; count: number }[] = [];
const log = (_message: string, fields: unknown) => void lines.push(fields as (typeof lines)[number]);
const logger = { error: log, warn: log, info: log, debug: log } as never;
const metrics = createMetrics();
const BOUNDS = { full: 4, most: 8, each: 2, holdMs: 20 };

const { server, base } = testServer();
const waiting: ServerResponse[] = [];
const letGoAll = async () => {
  const open = waiting.splice(0).filter(({ destroyed }) => !destroyed);
  await Promise.all(open.map((response) => once(response.end(), 'close')));
};

beforeAll(() => {
  const app: RequestListener = ({ url }, response) => {
    if (url === '/waits') waiting.push(response);
    else response.end();
  };
  const deps = { baseUrl: 'https://a.example', trustedProxies: new BlockList(), logger, counts: apiCounts(metrics) };
  server.on('request', shedLoad(app, deps, BOUNDS));
});
afterEach(letGoAll);

const ask = (who: string, path = '/waits', signal?: AbortSignal) =>
  fetch(`${base()}${path}`, { headers: { Authorization: `Bearer ${who}` }, ...(signal && { signal }) });
async function sendAll(count: number, who: (i: number) => string): Promise<Promise<Response>[]> {
  const upTo = waiting.length + count;
  const requests = Array.from({ length: count }, (_, i) => ask(who(i)));
  await until(() => waiting.length >= upTo);
  return requests;
}

test('refuses one client above the limit with Retry-After, and still serves others', async () => {
  const hers = await sendAll(BOUNDS.full, () => 'ada');
  const shed = await ask('ada');
  expect(shed.status).toBe(503);
  expect(Object.fromEntries(shed.headers)).toMatchObject({
    'retry-after': expect.stringMatching(/^[1-9]\d*$/),
    'x-request-id': expect.any(String),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
  const body = (await shed.json()) as { error_id: string };
  expect(body).toMatchObject({ error: 'service_unavailable', status: 503, message: expect.any(String) });
  const his = await sendAll(BOUNDS.each, () => 'bob');
  expect((await ask('bob')).status).toBe(503);
  await letGoAll();
  for (const answer of await Promise.all([...hers, ...his])) expect(answer.status).toBe(200);
  await sendAll(1, () => 'ada');

  // All refusals of one second share one line, with the `error_id` that the callers got.
  await until(() => lines.length > 0);
  expect(lines[0]).toMatchObject({ error_id: body.error_id, count: 2 });
  expect(await metrics.text()).toContain('waypost_api_shed_requests_total 2');
});

test('admits many clients up to the total limit, and answers health checks above it', async () => {
  await sendAll(BOUNDS.most, (i) => `client-${i}`);
  expect((await ask('another')).status).toBe(503);
  for (const path of ['/healthz', '/readyz']) expect((await ask('another', path)).status).toBe(200);
});

test('admits a new request after another request was aborted', async () => {
  const leaves = new AbortController();
  const abortedRequest = ask('ada', '/waits', leaves.signal);
  await until(() => waiting.length === 1);
  await sendAll(BOUNDS.full - 1, () => 'ada');
  expect((await ask('ada')).status).toBe(503);
  const closed = once(waiting[0]!, 'close');
  leaves.abort();
  await expect(abortedRequest).rejects.toThrow();
  await closed;
  await sendAll(1, () => 'ada');
});
