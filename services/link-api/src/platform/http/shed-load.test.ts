import { once } from 'node:events';
import http, { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { BlockList } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { hasCode } from '@waypost/domain';
import { untrustedProxies } from '@waypost/process';
import { fairSlots } from '@waypost/resilience';
import { createMetrics } from '@waypost/telemetry';
import { pause, until } from '@waypost/test-support';
import { testServer } from '../../../test/link-api-under-test.ts';
import { apiCounts } from '../metrics.ts';
import { placeOf } from './place-of.ts';
import { shedLoad } from './shed-load.ts';

const lines: { error_id: string; count: number }[] = [];
const log = (_message: string, fields: unknown) => void lines.push(fields as (typeof lines)[number]);
const logger = { error: log, warn: log, info: log, debug: log } as never;
const metrics = createMetrics();
const STRANGERS = { running: 2, waiting: 3 };
const BOUNDS = {
  ...{ full: 4, most: 8, each: 2, holdMs: 20 },
  requests: { most: 20, inMs: 60_000 },
  bodies: { most: 4, each: 3 },
};

const { server, base } = testServer();
const waiting: ServerResponse[] = [];
const read: Buffer[] = [];
const letGoAll = async () => {
  const open = waiting.splice(0).filter(({ destroyed }) => !destroyed);
  await Promise.all(open.map((response) => once(response.end(), 'close')));
};

/** The credential of an account begins with its name. It is valid unless it ends with `deleted`. */
const APP: RequestListener = async (request, response) => {
  if (request.url === '/healthz' || request.url === '/readyz') return void response.end();
  const place = placeOf(response as never);
  if (request.url === '/verified-late') {
    waiting.push(response);
    await once(response, 'close');
  }
  const key = /^Bearer (account-\w+)-(\w+)$/.exec(request.headers.authorization ?? '');
  if (key?.[2] === 'deleted') place.refused();
  else if (key !== null) place.verified(key[1]!);
  if (request.url === '/waits') waiting.push(response);
  else if (request.url === '/reads') await readBody(request, response);
  else if (request.url === '/unread') {
    response.write('the first part');
    waiting.push(response);
  } else response.end();
};

async function readBody(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    read.push(await placeOf(response as never).whileReading(() => buffer(request), new AbortController().signal));
    response.end();
  } catch (error) {
    response.writeHead(hasCode(error, 'too_many_attempts') ? 429 : 503).end();
  }
}

beforeAll(() => {
  const trustedProxies = new BlockList();
  trustedProxies.addAddress('127.0.0.1');
  const deps = {
    authentication: { credentialOf: ({ headers }: IncomingMessage) => headers.authorization },
    ...{ baseUrl: 'https://a.example', trustedProxies, proxies: untrustedProxies(logger), logger },
    counts: apiCounts(metrics),
    slotsOf: () => fairSlots(STRANGERS),
  };
  server.on('request', shedLoad(APP, deps, BOUNDS));
});
afterEach(letGoAll);

let addresses = 0;
const newAddress = () => `192.0.2.${++addresses}`;
const ask = (key: string, path = '/waits', signal?: AbortSignal, address = newAddress()) =>
  fetch(`${base()}${path}`, {
    headers: { Authorization: `Bearer ${key}`, 'X-Forwarded-For': address },
    ...(signal && { signal }),
  });
/** The account's credential is verified afterwards. */
const verify = async (...names: string[]) => {
  for (const name of names) expect((await ask(`account-${name}-key`, '/')).status).toBe(200);
};
async function sendAll(count: number, who: (i: number) => string): Promise<Promise<Response>[]> {
  const upTo = waiting.length + count;
  const requests = Array.from({ length: count }, (_, i) => ask(who(i)));
  await until(() => waiting.length >= upTo);
  return requests;
}
/** Opens a request whose body never ends. Resolves with the status of its answer. */
function slowBody(address: string): Promise<number> {
  const headers = { 'X-Forwarded-For': address, 'Content-Length': 1_000 };
  const request = http.request(`${base()}/reads`, { method: 'POST', headers });
  request.on('error', () => undefined).write('{');
  const answered = once(request, 'response').then(([{ statusCode }]) => statusCode as number);
  return answered.catch(() => 0); // the server has stopped
}

describe('verified callers', () => {
  test('are refused above the limit of their account with Retry-After, while others are still served', async () => {
    await verify('ada', 'bob');
    const hers = await sendAll(BOUNDS.full, () => 'account-ada-key');
    const shed = await ask('account-ada-key');
    expect(shed.status).toBe(503);
    expect(Object.fromEntries(shed.headers)).toMatchObject({
      'retry-after': expect.stringMatching(/^[1-9]\d*$/),
      'x-request-id': expect.any(String),
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    const body = (await shed.json()) as { error_id: string };
    expect(body).toMatchObject({ error: 'service_unavailable', status: 503, message: expect.any(String) });
    const his = await sendAll(BOUNDS.each, () => 'account-bob-key');
    expect((await ask('account-bob-key')).status).toBe(503);
    await letGoAll();
    for (const answer of await Promise.all([...hers, ...his])) expect(answer.status).toBe(200);
    await sendAll(1, () => 'account-ada-key');

    // All refusals of one second share one line, with the `error_id` that the callers got.
    await until(() => lines.length > 0);
    expect(lines[0]).toMatchObject({ error_id: body.error_id, count: 2 });
    expect(await metrics.text()).toContain('waypost_api_shed_requests_total 2');
  });

  test('share the limit of their account, whichever of its keys they use', async () => {
    expect((await ask('account-eve-one', '/')).status).toBe(200);
    expect((await ask('account-eve-two', '/')).status).toBe(200);
    await sendAll(BOUNDS.full, (i) => `account-eve-${i % 2 ? 'one' : 'two'}`);
    for (const key of ['one', 'two']) expect((await ask(`account-eve-${key}`)).status).toBe(503);
  });

  test('are admitted up to the total limit, and health checks above it', async () => {
    const names = Array.from({ length: BOUNDS.most + 1 }, (_, i) => `many${i}`);
    await verify(...names);
    await sendAll(BOUNDS.most, (i) => `account-many${i}-key`);
    const last = `account-many${BOUNDS.most}-key`;
    expect((await ask(last)).status).toBe(503);
    for (const path of ['/healthz', '/readyz']) expect((await ask(last, path)).status).toBe(200);
  });

  test('are admitted after another request was aborted', async () => {
    await verify('ann');
    const leaves = new AbortController();
    const abortedRequest = ask('account-ann-key', '/waits', leaves.signal);
    await until(() => waiting.length === 1);
    await sendAll(BOUNDS.full - 1, () => 'account-ann-key');
    expect((await ask('account-ann-key')).status).toBe(503);
    const closed = once(waiting[0]!, 'close');
    leaves.abort();
    await expect(abortedRequest).rejects.toThrow();
    await closed;
    await sendAll(1, () => 'account-ann-key');
  });
});

describe('callers whose credential is not verified', () => {
  test('take no place for ever if they hang up while it is verified', async () => {
    await verify('tim');
    for (let i = 0; i < BOUNDS.most; i++) {
      const leaves = new AbortController();
      const abortedRequest = ask(`account-left${i}-key`, '/verified-late', leaves.signal);
      await until(() => waiting.length === 1);
      const closed = once(waiting.pop()!, 'close');
      leaves.abort();
      await expect(abortedRequest).rejects.toThrow();
      await closed;
    }
    expect((await ask('account-tim-key', '/')).status).toBe(200);
  });

  test('cannot take the place of a verified caller, however many credentials they invent', async () => {
    await verify('zoe');
    const strangers = await sendAll(STRANGERS.running, (i) => `invented-${i}`);
    const more = Array.from({ length: 10 }, (_, i) => ask(`more-${i}`));
    expect((await ask('account-zoe-key', '/')).status).toBe(200);
    await sendAll(BOUNDS.each, () => 'account-zoe-key');
    const end = setInterval(() => void letGoAll(), 5);
    const statuses = (await Promise.all([...strangers, ...more])).map(({ status }) => status);
    clearInterval(end);
    // Without a turn and a place in the queue, a stranger is refused.
    expect(statuses.filter((status) => status === 503)).toHaveLength(10 - STRANGERS.waiting);
  });

  test('wait in line by address: the first request with a valid key comes before a flood of two addresses', async () => {
    const flood = [newAddress(), newAddress()];
    for (const address of flood) void ask('flood', '/waits', undefined, address);
    await until(() => waiting.length === STRANGERS.running);
    for (let i = 0; i < 10; i++) void ask(`flood-${i}`, '/waits', undefined, flood[i % 2]).catch(() => undefined);
    await pause(50);
    const first = ask('account-new-key', '/');
    await pause(50);
    await once(waiting.shift()!.end(), 'close');
    expect((await first).status).toBe(200);
    const end = setInterval(() => void letGoAll(), 5);
    await pause(100);
    clearInterval(end);
  });

  test('get 429 with Retry-After above the limit of their address, which verified callers there do not', async () => {
    const address = newAddress();
    for (let i = 0; i < BOUNDS.requests.most; i++)
      expect((await ask(`guess-${i}`, '/', undefined, address)).status).toBe(200);
    const limited = await ask('guess', '/', undefined, address);
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^[1-6]?\d$/)]);
    expect(await limited.json()).toEqual({ error: 'rate_limited', status: 429, message: expect.any(String) });
    expect((await ask('account-kim-key', '/', undefined, address)).status).toBe(429);
    expect((await ask('guess', '/assets/index.js', undefined, address)).status).toBe(200);
    await verify('kim');
    expect((await ask('account-kim-key', '/', undefined, address)).status).toBe(200);
    expect(await metrics.text()).toContain('waypost_api_limited_requests_total 2');
  });

  test('are all who use a credential that was refused', async () => {
    const address = newAddress();
    await ask('account-max-deleted', '/');
    for (let i = 0; i < BOUNDS.requests.most; i++) await ask('account-max-deleted', '/', undefined, address);
    expect((await ask('account-max-deleted', '/', undefined, address)).status).toBe(429);
  });

  test('hold no turn while their body comes or while they do not read the answer', async () => {
    const [one, other] = [newAddress(), newAddress()];
    const slow = [one, one, one, other].map(slowBody);
    for (let i = 0; i < 4; i++) expect((await ask('reads-late', '/unread')).status).toBe(200);
    expect((await ask('another', '/')).status).toBe(200);
    // An address may have three bodies open, and all together four.
    expect(await slowBody(one)).toBe(429);
    const newest = slowBody(newAddress());
    expect(await slow[0]).toBe(503);
    const rest = await Promise.race([...slow.slice(1), newest, pause(50).then(() => 'none')]);
    expect(rest).toBe('none');
    const sent = await fetch(`${base()}/reads`, { method: 'POST', body: '{"a":1}' });
    expect([sent.status, String(read.at(-1))]).toEqual([200, '{"a":1}']);
  });
});
