import { describe, expect, test } from '@jest/globals';
import { pause } from '@waypost/test-support';
import { administrator } from '../moderation/administrator.ts';
import { freshEmail, PASSWORD, people } from '../people.ts';
import { product } from '../product.ts';
import { expectError, ISO_TIME, tally, times, UUID } from '../support.ts';
import { apiClient, type Json } from '../waypost-process.ts';

const { waypost, newClient } = product();
const { newAccount } = people(waypost);
const { admin, entriesAbout, actionsAbout } = administrator(waypost);
const client = (key: string) => apiClient(waypost.api, key);

describe('keys over the API', () => {
  test('are created with a session, shown once, listed with their use, and refused once deleted', async () => {
    const { ask } = await newAccount();
    const created = await ask('POST', '/api/v1/account/keys', { name: 'laptop', scopes: ['read', 'write'] });
    expect([created.status, created.body]).toEqual([
      201,
      {
        id: expect.stringMatching(UUID),
        name: 'laptop',
        scopes: ['read', 'write'],
        hint: created.body.key.slice(0, 10),
        created_at: expect.stringMatching(ISO_TIME),
        expires_at: null,
        key: expect.stringMatching(/^wp_[\w-]{49}$/),
      },
    ]);
    const { key, ...shown } = created.body;
    const list = await ask('GET', '/api/v1/account/keys');
    expect(list.body).toEqual({ data: [{ ...shown, last_used_at: null }], limit: 20 });
    expect(JSON.stringify(list.body)).not.toContain(key);
    const api = apiClient(waypost.api, key);
    expect((await api('GET', '/api/v1/account')).body.scopes).toEqual(['read', 'write']);
    await pause(300);
    expect((await ask('GET', '/api/v1/account/keys')).body.data[0].last_used_at).toMatch(ISO_TIME);
    expect((await ask('DELETE', `/api/v1/account/keys/${shown.id}`)).body.id).toBe(shown.id);
    expectError(await api('GET', '/api/v1/account'), 401);
    expectError(await ask('DELETE', `/api/v1/account/keys/${shown.id}`), 404);
    for (const odd of ['%00', 'x']) expectError(await ask('DELETE', `/api/v1/account/keys/${odd}`), 404);
    const wrong = { name: ' ', scopes: ['admin', 'read'] };
    expectError(await ask('POST', '/api/v1/account/keys', wrong), 400, ['name', 'scopes']);
  });

  test('are not created, listed or deleted with a key for links; an admin key may, for its own account', async () => {
    const request = { name: 'x', scopes: ['read'] };
    for (const scopes of ['read', 'write', 'read,write']) {
      const api = await newClient(scopes);
      expectError(await api('POST', '/api/v1/account/keys', request), 403);
      expectError(await api('GET', '/api/v1/account/keys'), 403);
      expectError(await api('DELETE', `/api/v1/account/keys/${crypto.randomUUID()}`), 403);
    }
    const api = await newClient('admin');
    const created = await api('POST', '/api/v1/account/keys', request);
    expect(created.status).toBe(201);
    expect((await api('GET', '/api/v1/account/keys')).body.data).toHaveLength(2);
    expect((await api('DELETE', `/api/v1/account/keys/${created.body.id}`)).status).toBe(200);
    expectError(await apiClient(waypost.api, created.body.key)('GET', '/api/v1/account'), 401);
    expectError(await api('PUT', '/api/v1/account/password', { new_password: PASSWORD }), 403);
  });

  test('of another account are neither listed nor deleted', async () => {
    const [one, other] = [await newAccount(), await newAccount()];
    const { body } = await one.ask('POST', '/api/v1/account/keys', { name: 'mine', scopes: ['read'] });
    expect((await other.ask('GET', '/api/v1/account/keys')).body.data).toEqual([]);
    expectError(await other.ask('DELETE', `/api/v1/account/keys/${body.id}`), 404);
    expect((await apiClient(waypost.api, body.key)('GET', '/api/v1/account')).status).toBe(200);
  });
});

describe('keys that an administrator creates, or that expire', () => {
  test('of any account are listed, created and deleted; a deleted key is refused at once', async () => {
    const { email } = await waypost.newKey();
    const path = `/api/v1/admin/accounts/${email}/keys`;
    const created = await admin('POST', path, { name: 'CI', scopes: ['read'], expires_at: '2099-01-31T00:00:00Z' });
    expect([created.status, created.body.expires_at]).toEqual([201, '2099-01-31T00:00:00.000Z']);
    const { key, ...shown } = created.body;
    expect((await client(key)('GET', '/api/v1/account')).body.email).toBe(email);
    await pause(300);
    const { data, limit } = (await admin('GET', path)).body;
    expect([limit, data.length]).toEqual([20, 2]);
    expect(data[0]).toEqual({ ...shown, last_used_at: expect.stringMatching(ISO_TIME) });
    expect((await admin('DELETE', `/api/v1/admin/keys/${shown.id}`)).body.id).toBe(shown.id);
    expectError(await client(key)('GET', '/api/v1/account'), 401);
    for (const id of [shown.id, 'x', '%00', 'a'.repeat(5_000)])
      expectError(await admin('DELETE', `/api/v1/admin/keys/${id}`), 404);
    expectError(await admin('GET', `/api/v1/admin/accounts/${freshEmail()}/keys`), 404);
    expect(await actionsAbout(shown.id)).toEqual(['key.deleted refused', 'key.deleted', 'key.created']);
    expect((await entriesAbout(email)).map(({ action }) => action)).toEqual([
      'key.deleted',
      'account.keys_read',
      'key.created',
      'key.created',
      'account.sign_in_link_made',
      'account.created',
    ]);
    expect(JSON.stringify(await entriesAbout(email))).not.toContain(key);
  });

  test('are refused after they expire, and make room for others', async () => {
    const api = await newClient('admin');
    const ends = new Date(Date.now() + 2_000).toISOString();
    const make = (expires_at: unknown) =>
      api('POST', '/api/v1/account/keys', { name: 'short', scopes: ['read'], expires_at });
    const created = await Promise.all(times(19, () => make(ends)));
    expect(tally(created)).toEqual({ 201: 19 });
    const refused = await make(null);
    expectError(refused, 409);
    expect(refused.body.message).toBe('An account may have up to 20 active API keys. Delete one first.');
    expect((await client(created[0]!.body.key)('GET', '/api/v1/links')).status).toBe(200);
    await pause(Date.parse(ends) - Date.now() + 100);
    expectError(await client(created[0]!.body.key)('GET', '/api/v1/links'), 401);
    expect((await api('GET', '/api/v1/account/keys')).body.data).toHaveLength(1);
    expect((await make(null)).body.expires_at).toBeNull();
    for (const bad of ['', '2027-02-30T00:00:00Z', '2027-01-31', ends, 5, 'x'.repeat(9_999)])
      expectError(await make(bad), 400, ['expires_at']);
  });

  test('are created by command with a time at which they expire', async () => {
    const { email } = await waypost.newKey();
    const created = await waypost.admin('create-key', { email, name: 'x', scopes: 'read', expires: '90d' });
    expect(Date.parse(String(created.expires_at)) - Date.now()).toBeGreaterThan(89.9 * 86_400_000);
    await waypost.admin('create-key', { email, name: 'y', scopes: 'read', expires: '2099-01-31' });
    const [newest] = await waypost.admin<Json[]>('list-keys', { email });
    expect(newest).toEqual({
      id: expect.stringMatching(UUID),
      name: 'y',
      scopes: ['read'],
      created_at: expect.stringMatching(ISO_TIME),
      last_used_at: null,
      expires_at: '2099-01-31T00:00:00.000Z',
    });
    for (const expires of ['', '0d', '2001-01-31'])
      await expect(waypost.admin('create-key', { email, name: 'z', scopes: 'read', expires })).rejects.toThrow(
        'expires',
      );
  });
});
