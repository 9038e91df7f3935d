/** What one replica of link-api changes, the next request to another one meets. */
import { beforeAll, expect, test } from '@jest/globals';
import { OPERATOR } from '@waypost/domain';
import request from 'supertest';
import { connectTo, newDatabase } from '../../../../libs/adapter-postgres/test/empty-database.ts';
import { storesOn } from '../../../../libs/adapter-postgres/test/links-under-test.ts';
import { depsWith } from '../../test/link-api-under-test.ts';
import { createLinkApi } from '../app.ts';
import { createAccount, createApiKey } from '../use-cases/accounts.ts';

const PASSWORD = 'correct horse battery staple';

async function replica(address: Awaited<ReturnType<typeof newDatabase>>) {
  const stores = storesOn(await connectTo(address));
  const deps = depsWith(stores);
  return { db: stores.db, deps, app: createLinkApi(deps).app };
}

let one: Awaited<ReturnType<typeof replica>>;
let other: typeof one;
let admin: { readonly Authorization: string };
beforeAll(async () => {
  const address = await newDatabase();
  [one, other] = [await replica(address), await replica(address)];
  const { id } = await createAccount(one.deps, { email: 'admin@example.org', admin: true }, OPERATOR);
  const { key } = await createApiKey(one.deps, id, { name: 'x', scopes: ['admin'] }, OPERATOR);
  admin = { Authorization: `Bearer ${key}` };
});

async function anAccount(email: string) {
  const { id } = await createAccount(one.deps, { email, admin: false, password: PASSWORD }, OPERATOR);
  const made = await createApiKey(one.deps, id, { name: 'x', scopes: ['read'] }, OPERATOR);
  const signIn = await request(one.app).post('/session').send({ email, password: PASSWORD });
  const cookie = String(signIn.headers['set-cookie']).split(';')[0]!;
  const asks = async () => {
    const byKey = await request(other.app).get('/api/v1/account').set('Authorization', `Bearer ${made.key}`);
    const bySession = await request(other.app).get('/api/v1/account').set('Cookie', cookie);
    return [byKey.status, bySession.status];
  };
  return { asks, keyId: made.id, path: `/api/v1/admin/accounts/${email}` };
}

test('a suspension, and its end', async () => {
  const { asks, path } = await anAccount('suspended@example.org');
  for (let round = 0; round < 2; round++) {
    expect(await asks()).toEqual([200, 200]);
    const suspended = await request(one.app).put(`${path}/suspension`).set(admin).send({ reason: 'x' });
    expect([suspended.status, await asks()]).toEqual([200, [403, 403]]);
    expect((await request(one.app).delete(`${path}/suspension`).set(admin)).status).toBe(200);
  }
  expect(await asks()).toEqual([200, 200]);
});

test('the deletion of a key', async () => {
  const { asks, path, keyId } = await anAccount('deleted@example.org');
  expect(await asks()).toEqual([200, 200]);
  expect((await request(one.app).delete(`${path}/keys/${keyId}`).set(admin)).status).toBe(200);
  expect(await asks()).toEqual([401, 200]);
});

test('the end of a key', async () => {
  const { asks, keyId } = await anAccount('expired@example.org');
  const endIn = (time: string) =>
    one.db.query('UPDATE api_keys SET expires_at = now() + $2::interval WHERE id = $1', [keyId, time]);
  await endIn('1 minute');
  expect(await asks()).toEqual([200, 200]);
  await endIn('0');
  expect(await asks()).toEqual([401, 200]);
});
