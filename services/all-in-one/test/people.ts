import { createHash } from 'node:crypto';
import { expect } from '@jest/globals';
import { type Answer, apiClient, type Json, type TestWaypost } from './waypost-process.ts';

export const PASSWORD = 'correct horse battery staple';
export const freshEmail = () => `u${crypto.randomUUID()}@example.org`;

export function cookieOf({ headers }: { readonly headers: Headers }): string {
  const [set = ''] = headers.getSetCookie();
  return set.split(';')[0]!;
}

/** The test is the proxy in front, so each browser has an address, and a person who signs in always the same. */
const addressOf = (who: string) => `2001:db8:${createHash('sha256').update(who).digest('hex').slice(0, 4)}::1`;

export function people(waypost: TestWaypost) {
  const ours = (cookie?: string) => ({
    Origin: waypost.api,
    'Sec-Fetch-Site': 'same-origin',
    'X-Forwarded-For': addressOf(crypto.randomUUID()),
    ...(cookie === undefined ? {} : { Cookie: cookie }),
  });

  /** Returns a client that sends what a browser with this cookie sends. */
  const browser =
    (cookie?: string) =>
    <T = Json>(
      method: string,
      path: string,
      body?: unknown,
      headers: Record<string, string> = {},
    ): Promise<Answer<T>> =>
      apiClient(waypost.api)(method, path, body, { ...ours(cookie), ...headers });

  const signIn = (email: string, password = PASSWORD, cookie?: string) =>
    browser(cookie)('POST', '/session', { email, password }, { 'X-Forwarded-For': addressOf(email.toLowerCase()) });

  /** Signs in with a link of the operator. Resolves to the cookie. */
  async function byLink(email: string): Promise<string> {
    const { sign_in_url } = await waypost.admin<{ sign_in_url: string }>('sign-in-link', { email });
    const path = new URL(sign_in_url).pathname;
    const answer = await fetch(`${waypost.api}${path}`, { method: 'POST', redirect: 'manual', headers: ours() });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
    return cookieOf(answer);
  }

  async function newAccount(options: { admin?: boolean; limit?: number } = {}) {
    const email = freshEmail();
    await waypost.admin('create-account', { email, admin: options.admin ?? false, password: PASSWORD });
    if (options.limit !== undefined)
      await waypost.admin('set-limit', { email, 'creations-per-hour': String(options.limit) });
    const cookie = cookieOf(await signIn(email));
    return { email, cookie, ask: browser(cookie) };
  }

  return { ours, browser, signIn, byLink, newAccount };
}
