/** A change by one replica of link-api must affect the next request to another replica. */
import { beforeAll, expect, test } from '@jest/globals';
import { OPERATOR } from '@waypost/domain';
import { connectTo, newDatabase } from '@waypost/test-support/database';
import request from 'supertest';
import { depsWith } from '../../../test/link-api-under-test.ts';
import { storesOn } from '../../../test/stores.ts';
import { createAccount } from '../../accounts/accounts.ts';
import { createLinkApi } from '../../app.ts';
import { createApiKey } from '../../keys/create.ts';

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
  const apiKey = await createApiKey(one.deps, id, { name: 'x', scopes: ['read'] }, OPERATOR);
  const signIn = await request(one.app).post('/session').send({ email, password: PASSWORD });
  const cookie = String(signIn.headers['set-cookie']).split(';')[0]!;
  const asks = async () => {
    const byKey = await request(other.app).get('/api/v1/account').set('Authorization', `Bearer ${apiKey.key}`);
    const bySession = await request(other.app).get('/api/v1/account').set('Cookie', cookie);
    return [byKey.status, bySession.status];
  };
  return { asks, keyId: apiKey.id, path: `/api/v1/admin/accounts/${email}` };
}

test('another replica obeys a suspension and its end at once', async () => {
  const { asks, path } = await anAccount('suspended@example.org');
  for (let round = 0; round < 2; round++) {
    expect(await asks()).toEqual([200, 200]);
    const suspended = await request(one.app).put(`${path}/suspension`).set(admin).send({ reason: 'x' });
    expect([suspended.status, await asks()]).toEqual([200, [403, 403]]);
    expect((await request(one.app).delete(`${path}/suspension`).set(admin)).status).toBe(200);
  }
  expect(await asks()).toEqual([200, 200]);
});

test('another replica refuses a deleted key at once', async () => {
  const { asks, keyId } = await anAccount('deleted@example.org');
  expect(await asks()).toEqual([200, 200]);
  expect((await request(one.app).delete(`/api/v1/admin/keys/${keyId}`).set(admin)).status).toBe(200);
  expect(await asks()).toEqual([401, 200]);
});

test('another replica refuses an expired key at once', async () => {
  const { asks, keyId } = await anAccount('expired@example.org');
  const endIn = (time: string) =>
    one.db.query('UPDATE api_keys SET expires_at = now() + $2::interval WHERE id = $1', [keyId, time]);
  await endIn('1 minute');
  expect(await asks()).toEqual([200, 200]);
  await endIn('0');
  expect(await asks()).toEqual([401, 200]);
});
