import http from 'node:http';
import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { CLIENTS, journeyBy, rest } from '../../clients.ts';
import { DESTINATION, freshSlug, onLoopback } from '../../support.ts';
import type { Json } from '../../waypost-process.ts';
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
const { stack } = stackUnderTest();

beforeAll(async () => {
  const [internal] = await freePorts(1);
  const second = await startReplica(stack, 'link-api', {
    INTERNAL_PORT: String(internal),
    // The second process must have the same addresses as the first.
    BASE_URL: stack.api.replace('127.0.0.1', 'localhost'),
    REDIRECT_BASE_URL: stack.redirect.replace('127.0.0.1', 'localhost'),
    CREATIONS_PER_HOUR: '1000000',
    OPERATOR_SOCKET: path.join(stack.waypost.dataDir, 'second.sock'),
  });
  replicas.push(stack.api, second.url);
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
