import { describe, expect, test } from '@jest/globals';
import { freshEmail, PASSWORD, people } from '../people.ts';
import { product } from '../product.ts';
import { DESTINATION, expectError, freshSlug, ISO_TIME, queriesOf } from '../support.ts';
import { apiClient, type Json } from '../waypost-process.ts';
import { administrator } from './administrator.ts';

const { waypost } = product();
const { newAccount } = people(waypost);
const { admin, account, entriesAbout } = administrator(waypost);

describe('the audit log', () => {
  test('has every change to an account and its keys, with the person and the way', async () => {
    const { email, cookie, ask: browser } = await newAccount();
    const ask = (method: string, path: string, body?: unknown) => browser(method, `/api/v1${path}`, body);
    const { id } = (await ask('POST', '/account/keys', { name: 'mine', scopes: ['read', 'write'] })).body;
    await ask('DELETE', `/account/keys/${id}`);
    await admin('PUT', `/api/v1/admin/accounts/${email}/limit`, { creations_per_hour: 7 });
    await waypost.admin('sign-in-link', { email });
    await ask('PUT', '/account/password', { current_password: PASSWORD, new_password: `${PASSWORD} 2` });
    await ask('DELETE', '/account/sessions');
    const entries = await entriesAbout(email);
    expect(entries.map(({ actor, via, action, detail }) => [actor, via, action, detail])).toEqual([
      [email, 'session', 'account.sessions_ended', ''],
      [email, 'session', 'account.sessions_ended', ''],
      [email, 'session', 'account.password_changed', ''],
      ['operator', 'operator', 'account.sign_in_link_made', ''],
      [account().email, 'key', 'account.limit_set', 'creations_per_hour: 7'],
      [email, 'session', 'key.deleted', 'mine'],
      [email, 'session', 'key.created', 'mine (read, write)'],
      [email, 'password', 'session.started', 'Unknown on Unknown, ZZ'],
      ['operator', 'operator', 'account.sign_in_link_made', ''],
      ['operator', 'operator', 'account.created', ''],
    ]);
    expect(new Set(entries.filter(({ via }) => via === 'session').map(({ credential }) => credential)).size).toBe(1);
    expect(entries[0].credential).toMatch(/^[0-9a-f]{12}$/);
    for (const secret of [PASSWORD, cookie.split('=')[1]!]) expect(JSON.stringify(entries)).not.toContain(secret);
  });

  test('is read page by page, and filtered by actor, action, subject and time', async () => {
    const { email } = await waypost.newKey();
    for (const reason of ['one', 'two', 'three'])
      await admin('PUT', `/api/v1/admin/accounts/${email}/suspension`, { reason });
    const about = `subject=${email}&action=account.suspended&actor=${account().email}`;
    const page = async (query: string) => (await admin('GET', `/api/v1/admin/audit?${query}`)).body as Json;
    const details = ({ data }: Json) => data.map(({ detail }: Json) => detail);
    const first = await page(`${about}&limit=2`);
    expect([details(first), first.next]).toEqual([['three', 'two'], first.data[1].id]);
    const second = await page(`${about}&limit=2&before=${first.next}`);
    expect([details(second), second.next]).toEqual([['one'], null]);
    expect(details(await page(`${about}&since=${second.data[0].at}`))).toEqual(['three', 'two', 'one']);
    expect(details(await page(`${about}&since=2099-01-01`))).toEqual([]);
    expect((await page(`subject=${email}&actor=operator`)).data).toHaveLength(3);
    const [newest] = await waypost.admin<Json[]>('audit', { limit: '1', subject: email });
    expect(newest).toEqual({
      at: expect.stringMatching(ISO_TIME),
      actor: account().email,
      action: 'account.suspended',
      subject: email,
      detail: 'three',
    });
    expect(await waypost.admin('audit', { since: '1h', subject: email })).toHaveLength(6);
    for (const [query, field] of queriesOf([
      ['before', ['x', '9999999999999999999']],
      ['since', ['yesterday', '2026-02-30']],
      ['action', ['all']],
      ['actor', ['%00']],
      ['subject', ['a&subject=b']],
    ])) {
      expectError(await admin('GET', `/api/v1/admin/audit?${query}`), 400, [field]);
    }
    for (const wrong of [{ since: '2026-02-30' }, { limit: '0' }])
      await expect(waypost.admin('audit', wrong)).rejects.toThrow(/must be/);
  });

  test('has each refused change of an administrator', async () => {
    const last = async (action: string) =>
      (await admin('GET', `/api/v1/admin/audit?action=${action}&actor=${account().email}&limit=1`)).body.data;
    const nobody = freshEmail();
    expectError(await admin('PUT', `/api/v1/admin/accounts/${nobody}/limit`, { creations_per_hour: 1 }), 404);
    // The log must not store an address without an account, because nobody could later ask to delete it.
    const refused = { actor: account().email, subject: '', outcome: 'refused', account: null };
    expect(await last('account.limit_set')).toMatchObject([refused]);
    expect(JSON.stringify(await last('account.limit_set'))).not.toContain(nobody);
    const { email } = await waypost.newKey();
    expectError(await admin('POST', '/api/v1/admin/accounts', { email }), 409);
    expect(await last('account.created')).toMatchObject([
      { actor: account().email, subject: email, outcome: 'refused' },
    ]);
    expect((await admin('DELETE', `/api/v1/admin/accounts/${email}`)).status).toBe(200);
    expectError(await admin('DELETE', `/api/v1/admin/accounts/${email}`), 404);
    const all = (await admin('GET', '/api/v1/admin/audit?limit=100')).body;
    expect(JSON.stringify(all)).not.toContain(email);
  });

  test('has what an administrator reads of others, once an hour, and nothing that they read of themselves', async () => {
    const { email, key } = await waypost.newKey();
    const { slug } = (await apiClient(waypost.api, key)('POST', '/api/v1/links', { destination_url: DESTINATION })).body
      .link;
    const own = (await admin('POST', '/api/v1/links', { destination_url: DESTINATION })).body.link.slug;
    for (let i = 0; i < 3; i++) {
      for (const path of [
        `links/${slug}`,
        `links/${own}`,
        `accounts/${email}/keys`,
        `accounts/${account().email}/keys`,
      ])
        expect((await admin('GET', `/api/v1/admin/${path}`)).status).toBe(200);
      await waypost.admin('list-keys', { email });
    }
    const reads = async (subject: string) =>
      (await entriesAbout(subject))
        .filter(({ action }) => action.endsWith('read'))
        .map(({ actor, action, subject: of }) => [actor, action, of]);
    expect(await reads(email)).toEqual([
      ['operator', 'account.keys_read', email],
      [account().email, 'account.keys_read', email],
      [account().email, 'link.read', slug],
    ]);
    expect(await reads(account().email)).toEqual([]);
  });

  test('has what an operator does to feeds, secrets, exports and many links at once', async () => {
    const { email } = await waypost.newKey();
    const [name, slug] = [freshSlug('feed'), freshSlug()];
    const content = Buffer.from('https://listed.example/x\n').toString('base64');
    await waypost.admin('import-feed', { name, content, format: 'urls', 'threat-type': 'phishing' });
    const row = { line: 1, slug, destinationUrl: DESTINATION, tags: [], clicks: 0, days: [] };
    for (const dryRun of [true, false, false])
      await waypost.admin('import', { email, rows: JSON.stringify([row]), 'dry-run': dryRun });
    await waypost.admin('export-redirects', {});
    const [feed] = await entriesAbout(name);
    expect(feed).toMatchObject({ actor: 'operator', action: 'feed.imported', detail: 'phishing, entries: 1' });
    const imported = (await entriesAbout(email)).filter(({ action }) => action === 'account.links_imported');
    expect(imported.map(({ actor, detail }) => [actor, detail])).toEqual([
      ['operator', `links: 1, the first: ${slug}`],
    ]);
    const exported = (await admin('GET', '/api/v1/admin/audit?action=link.exported')).body.data;
    expect(exported[0]).toMatchObject({ actor: 'operator', subject: '' });
  });
});
