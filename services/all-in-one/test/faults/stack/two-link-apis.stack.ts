import http from 'node:http';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { CLIENTS, journeyBy, rest } from '../../clients.ts';
import { comesTo, DESTINATION, freshSlug, newLink, onLoopback, visit } from '../../support.ts';
import type { Json } from '../../waypost-process.ts';
import { clock } from '../feed-storm.ts';
import { apiClient, freePorts, stackUnderTest, startReplica } from './stack-under-test.ts';

const replicas: string[] = [];
const requests = [0, 0];
let turn = 0;
const balancer = http.createServer((request, response) => {
  const replica = turn++ % 2;
  requests[replica]!++;
  const { method, headers } = request;
  const onward = http.request(`${replicas[replica]}${request.url}`, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode!, answer.headers);
    answer.pipe(response);
  });
  onward.once('error', () => response.destroy());
  request.pipe(onward);
});
const url = await onLoopback(balancer);
const { environment, shift, right } = clock('services/redirector');
const { stack } = stackUnderTest(environment);

async function startLinkApi(settings: NodeJS.ProcessEnv = {}) {
  const [internal] = await freePorts(1);
  const replica = await startReplica(stack, 'link-api', {
    ...settings,
    INTERNAL_PORT: String(internal),
    // The second process must have the same addresses as the first.
    BASE_URL: stack.api.replace('127.0.0.1', 'localhost'),
    REDIRECT_BASE_URL: stack.redirect.replace('127.0.0.1', 'localhost'),
    CREATIONS_PER_HOUR: '1000000',
    OPERATOR_SOCKET: path.join(stack.waypost.dataDir, `${internal}.sock`),
  });
  return { ...replica, internal: `http://127.0.0.1:${internal}` };
}

beforeAll(async () => {
  replicas.push(stack.api, (await startLinkApi()).url);
}, 60_000);

const newKey = async () => (await stack.waypost.newKey()).key;
test.each(CLIENTS)('a journey works with %s', async (_name, of) => {
  const before = [...requests];
  const outcomes = await journeyBy(of, url, await newKey());
  expect(outcomes).toEqual(await journeyBy(rest, stack.api, await newKey()));
  expect(requests.every((count, i) => count > before[i]!)).toBe(true);
});

test('one replica knows what the other did: an idempotency key, a revoke, a deleted key', async () => {
  const { key, id } = await stack.waypost.newKey();
  const api = apiClient(url, key);
  const link = { destination_url: DESTINATION, custom_slug: freshSlug() };
  const make = () => api('POST', '/api/v1/links', link, { 'Idempotency-Key': link.custom_slug });
  const [first, again] = [await make(), await make()];
  expect(again.body).toEqual(first.body);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  const revoke = () => api('POST', `/api/v1/links/${link.custom_slug}/revoke`);
  expect([(await revoke()).status, (await revoke()).status]).toEqual([200, 400]);
  await stack.waypost.admin('delete-key', { id });
  const refused: Json[] = [await api('GET', '/api/v1/links'), await api('GET', '/api/v1/links')];
  expect(refused.map(({ status }) => status)).toEqual([401, 401]);
});

const clockAt = async (internal: string) => JSON.parse((await visit(internal, '/readyz')).text).dependencies.clock;
const redirectorsByDoctor = async () => {
  const { checks } = await stack.waypost.admin<{ checks: Json[] }>('doctor');
  return checks.find(({ name }) => name === 'redirectors');
};

describe('a clock that is an hour wrong from the start', () => {
  test.each([
    [1, '3600 s ahead of', 410],
    [-1, '3600 s behind', 302],
  ])('of a redirector, %s h, is reported, and moves the ends that it keeps', async (hours, difference, status) => {
    const api = apiClient(stack.api, await newKey());
    const { slug } = await newLink(api, { ends_at: new Date(Date.now() + 30 * 60_000).toISOString() });
    // On a busy machine, an answer of Redis may be late.
    await comesTo(redirectorsByDoctor, { ok: true, detail: 'works' }, 30_000);
    const [rightOne, wrongOne] = stack.services.filter(({ name }) => name.startsWith('redirector'));
    shift(hours);
    stack.kill('redirector-2');
    stack.letStart('redirector-2');
    const state = { ok: false, detail: `the clock is ${difference} the clock of PostgreSQL` };
    await comesTo(() => clockAt(wrongOne!.internal).catch(() => undefined), state, 30_000);
    expect((await visit(wrongOne!.url, `/${slug}`)).status).toBe(status);
    expect((await visit(rightOne!.url, `/${slug}`)).status).toBe(302);
    const detail = expect.stringMatching(/^fails at a redirector: clock\. Read /);
    await comesTo(redirectorsByDoctor, { ok: false, detail }, 30_000);
    right();
    stack.kill('redirector-2');
    stack.letStart('redirector-2');
    await stack.allReady(30_000);
    expect((await visit(wrongOne!.url, `/${slug}`)).status).toBe(302);
  });

  test('of link-api is reported, and revokes links too early, with their ends', async () => {
    const api = apiClient(stack.api, await newKey());
    const ends_at = new Date(Date.now() + 30 * 60_000).toISOString();
    const { slug } = await newLink(api, { ends_at });
    shift(1);
    const ahead = await startLinkApi({ ...environment, CLOCK_OF: 'services/link-api' });
    expect(await clockAt(ahead.internal)).toMatchObject({ ok: false, detail: expect.stringContaining('ahead of') });
    await comesTo(() => api('GET', `/api/v1/links/${slug}`), { body: { status: 'revoked', revoked_at: ends_at } });
    ahead.process.kill('SIGTERM');
  });
});
