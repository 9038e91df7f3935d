/** What one replica of link-api changes, the next request to another one meets. */
import { beforeAll, expect, test } from '@jest/globals';
import { postgresLinkApiStores } from '@waypost/adapter-postgres';
import { OPERATOR } from '@waypost/domain';
import request from 'supertest';
import { connectTo, newDatabase } from '../../../../libs/adapter-postgres/test/empty-database.ts';
import { depsWith } from '../../test/link-api-under-test.ts';
import { createLinkApi } from '../app.ts';
import { createAccount, createApiKey } from '../use-cases/accounts.ts';

const PASSWORD = 'correct horse battery staple';

async function replica(address: Awaited<ReturnType<typeof newDatabase>>) {
  const db = await connectTo(address);
  const deps = depsWith(postgresLinkApiStores(db, { creationsPerHour: 300 }, () => undefined));
  return { deps, app: createLinkApi(deps).app };
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

async function anAccount(email: string, expiresAt?: Date) {
  const { id } = await createAccount(one.deps, { email, admin: false, password: PASSWORD }, OPERATOR);
  const made = await createApiKey(one.deps, id, { name: 'x', scopes: ['read'], expiresAt }, OPERATOR);
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
  for (let round = 0; round < 10; round++) {
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
  const expiresAt = new Date(Date.now() + 1_500);
  const { asks } = await anAccount('expired@example.org', expiresAt);
  expect(await asks()).toEqual([200, 200]);
  await new Promise((resolve) => setTimeout(resolve, expiresAt.getTime() - Date.now() + 50));
  expect(await asks()).toEqual([401, 200]);
});
