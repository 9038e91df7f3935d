import { beforeAll, expect, test } from '@jest/globals';
import { connectTo, newDatabase } from '@waypost/test-support/database';
import request from 'supertest';
import { depsWith } from '../../../test/link-api-under-test.ts';
import { storesOn } from '../../../test/stores.ts';
import { createLinkApi, type LinkApi } from '../../app.ts';

const log: unknown[] = [];
let linkApi: LinkApi;
beforeAll(async () => {
  const deps = depsWith(storesOn(await connectTo(await newDatabase())), (...line) => void log.push(line));
  linkApi = createLinkApi(deps);
});

const accounts = '/api/v1/admin/accounts';

test('an operator administrates without a key, and the audit log says so, of what is refused, too', async () => {
  const { forOperator } = linkApi;
  const [email, password] = ['ada@example.org', 'correct horse battery staple'];
  const created = await request(forOperator).post(accounts).send({ email, password, sign_in_link: true });
  expect([created.status, created.body.email]).toEqual([201, email]);
  const again = await request(forOperator).post(accounts).send({ email });
  expect([again.status, again.body.error]).toEqual([409, 'conflict']);
  expect((await request(forOperator).post(`${accounts}/${email}/keys`).send({ name: '', scopes: [] })).status).toBe(
    400,
  );
  const { body } = await request(forOperator).get('/api/v1/admin/audit');
  const entries = body.data.map((entry: Record<string, unknown>) => [
    entry.actor,
    entry.via,
    entry.action,
    entry.outcome,
  ]);
  expect(entries).toEqual([
    ['operator', 'operator', 'key.created', 'refused'],
    ['operator', 'operator', 'account.created', 'refused'],
    ['operator', 'operator', 'account.sign_in_link_made', 'done'],
    ['operator', 'operator', 'account.created', 'done'],
  ]);
  expect(JSON.stringify(log)).not.toContain(password);
});

test('nobody becomes the operator at a public address, whatever they send', async () => {
  for (const headers of [{}, { Authorization: 'Bearer ' }, { Host: 'operator' }, { 'User-Agent': 'waypost-operator' }])
    expect((await request(linkApi.app).get(accounts).set(headers)).status).toBe(401);
});

test('an operator has no account, so the endpoints for one are not there', async () => {
  for (const path of ['/api/v1/links', '/api/v1/account', '/api/v1/webhooks', '/session', '/mcp', '/'])
    expect([path, (await request(linkApi.forOperator).get(path)).status]).toEqual([path, 404]);
});
