import { describe, expect, test } from '@jest/globals';
import { freshEmail, people } from '../people.ts';
import { product } from '../product.ts';
import { DESTINATION, expectError, freshSlug, ISO_TIME, listedUrl, newLink, newSlug, visit } from '../support.ts';
import { type Answer, apiClient } from '../waypost-process.ts';
import { administrator } from './administrator.ts';

const { waypost } = product();
const { newAccount } = people(waypost);
const { admin, account, entriesAbout, actionsAbout } = administrator(waypost);
const client = (key: string) => apiClient(waypost.api, key);

describe('a take-down', () => {
  const takeDown = (slug: string, body: unknown) => admin('POST', `/api/v1/admin/links/${slug}/take-down`, body);

  test('stops the redirect at once, tells the owner why, and only a review ends it', async () => {
    const { key, email } = await waypost.newKey();
    const { slug, take_down_reason } = await newLink(client(key));
    expect(take_down_reason).toBeNull();
    expect((await visit(waypost.redirect, `/${slug}`)).status).toBe(302);
    const answer = await takeDown(slug, { threat_type: 'scam', reason: 'Copies a <i>bank</i>.' });
    expect((await visit(waypost.redirect, `/${slug}`)).status).toBe(403);
    expect(answer.body).toMatchObject({
      status: 'flagged',
      threat_type: 'scam',
      take_down_reason: 'Copies a <i>bank</i>.',
    });
    expect((await client(key)('GET', `/api/v1/links/${slug}`)).body).toEqual(answer.body);
    expectError(await client(key)('POST', `/api/v1/links/${slug}/revoke`), 400);

    const changed = await takeDown(slug, { threat_type: 'phishing', reason: 'A second look.' });
    expect(changed.body).toMatchObject({ threat_type: 'phishing', take_down_reason: 'A second look.' });
    const seen = await admin('GET', `/api/v1/admin/links/${slug}`);
    expect(seen.body).toMatchObject({ link: changed.body, owner: email });
    expect(seen.body.verdicts[0]).toEqual({
      at: changed.body.updated_at,
      source: 'take_down',
      outcome: 'flagged',
      threat_type: 'phishing',
      reasons: [
        { rule: 'take-down', evidence: 'A second look.' },
        { rule: 'take-down', evidence: 'Copies a <i>bank</i>.' },
      ],
      generation: expect.stringMatching(/\S/),
    });
    const cleared = await admin('POST', `/api/v1/admin/links/${slug}/review`, {
      decision: 'clear',
      reason: 'Was wrong.',
    });
    expect(cleared.body).toMatchObject({ status: 'active', threat_type: null, take_down_reason: null });
    expect((await visit(waypost.redirect, `/${slug}`)).status).toBe(302);
    expect((await entriesAbout(slug)).map(({ action, detail, account }) => [action, detail, account])).toEqual([
      ['link.reviewed', 'clear: Was wrong.', email],
      ['link.read', '', email],
      ['link.taken_down', 'phishing: A second look.', email],
      ['link.taken_down', 'scam: Copies a <i>bank</i>.', email],
    ]);
  });

  test('of a flagged link changes its reason, and one of a revoked link is refused and logged', async () => {
    const { key } = await waypost.newKey();
    const flagged = await newSlug(client(key), { destination_url: await listedUrl(waypost) });
    expect((await takeDown(flagged, { threat_type: 'spam', reason: 'x' })).body.take_down_reason).toBe('x');
    const slug = await newSlug(client(key));
    await client(key)('POST', `/api/v1/links/${slug}/revoke`);
    expectError(await takeDown(slug, { threat_type: 'spam', reason: 'x' }), 400);
    expect((await client(key)('GET', `/api/v1/links/${slug}`)).body.status).toBe('revoked');
    expect(await entriesAbout(slug)).toMatchObject([
      { action: 'link.taken_down', outcome: 'refused', detail: expect.stringContaining('already revoked') },
    ]);
  });

  test('needs a link, a type and a reason', async () => {
    for (const slug of [freshSlug(), '%00', 'a%2Fb', 'x'.repeat(5_000)]) {
      expectError(await takeDown(slug, { threat_type: 'spam', reason: 'x' }), 404);
      expectError(await admin('GET', `/api/v1/admin/links/${slug}`), 404);
    }
    expectError(await takeDown('abcdefg', {}), 400, ['reason', 'threat_type']);
    expectError(await takeDown('abcdefg', { threat_type: 'x', reason: 'a\u202e\nb' }), 400, ['reason', 'threat_type']);
  });
});

const LIST_TOOLS = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });

describe('a suspended account', () => {
  async function suspended() {
    const { email, ask } = await newAccount();
    const { key } = await waypost.admin<{ key: string }>('create-key', { email, name: 'x', scopes: 'read,write' });
    const slug = await newSlug(client(key));
    const asks = (): Promise<Answer[]> =>
      Promise.all([
        client(key)('GET', '/api/v1/account'),
        client(key)('GET', '/api/v1/links'),
        client(key)('POST', '/api/v1/links', { destination_url: DESTINATION }),
        ask('GET', '/api/v1/account'),
        ask('POST', '/api/v1/links', { destination_url: DESTINATION }),
      ]);
    const asksTool = async () => {
      const accept = { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' };
      const headers = { ...accept, Authorization: `Bearer ${key}` };
      return (await fetch(`${waypost.api}/mcp`, { method: 'POST', headers, body: LIST_TOOLS })).status;
    };
    return { email, slug, asks, asksTool };
  }

  test('is refused at once, by key and by session, and is told why; its links continue to work', async () => {
    const { email, slug, asks, asksTool } = await suspended();
    const path = `/api/v1/admin/accounts/${email.toUpperCase()}/suspension`;
    const answer = await admin('PUT', path, { reason: 'Its links lead to <b>a scam</b>.' });
    expect(answer.body).toMatchObject({
      email,
      suspended_at: expect.stringMatching(ISO_TIME),
      suspension_reason: 'Its links lead to <b>a scam</b>.',
    });
    for (const refused of await asks()) {
      expectError(refused, 403, ['account']);
      expect(refused.body.message).toBe('This account is suspended: Its links lead to <b>a scam</b>.');
    }
    expect(await asksTool()).toBe(403);
    // Both creations must still report the quota.
    const quotas = (await asks()).flatMap(({ headers }) => headers.get('x-ratelimit-used') ?? []);
    expect(quotas).toHaveLength(2);
    expect((await visit(waypost.redirect, `/${slug}`)).status).toBe(302);

    const again = await admin('PUT', path, { reason: 'Another reason.' });
    expect(again.body).toMatchObject({
      suspended_at: answer.body.suspended_at,
      suspension_reason: 'Another reason.',
    });
    expect((await admin('DELETE', path)).body).toMatchObject({ suspended_at: null, suspension_reason: null });
    expect((await admin('DELETE', path)).status).toBe(200);
    for (const { status } of await asks()) expect(status).toBeLessThan(300);
    expect(await asksTool()).toBe(200);
    expect((await actionsAbout(email)).slice(0, 3)).toEqual([
      'account.resumed',
      'account.suspended',
      'account.suspended',
    ]);
    expect((await entriesAbout(email))[2]).toEqual({
      id: expect.stringMatching(/^\d+$/),
      at: expect.stringMatching(ISO_TIME),
      actor: account().email,
      via: 'key',
      credential: account().id,
      action: 'account.suspended',
      subject: email,
      account: email,
      outcome: 'done',
      detail: 'Its links lead to <b>a scam</b>.',
    });
  });

  test("cannot be the administrator's own, and needs a reason of one line", async () => {
    const path = (email: string) => `/api/v1/admin/accounts/${email}/suspension`;
    expectError(await admin('PUT', path(account().email), { reason: 'x' }), 400, ['email']);
    expect(await actionsAbout(account().email)).not.toContain('account.suspended');
    const { email } = await waypost.newKey();
    for (const reason of ['', ' ', 'a\nb', 'a\u0000', 'x'.repeat(1001), null]) {
      expectError(await admin('PUT', path(email), { reason }), 400, ['reason']);
    }
    expectError(await admin('PUT', path(freshEmail()), { reason: 'x' }), 404);
    for (const hostile of ['%00', `${'a'.repeat(5_000)}@example.org`, '%F0%9F%92%A9']) {
      expectError(await admin('PUT', path(hostile), { reason: 'x' }), 404);
      expectError(await admin('DELETE', path(hostile)), 404);
    }
  });
});
