/** What the dashboard asks of the server: the endpoints of the API with the session's cookie, and signing in and out. */
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import { type Link, type ListQuery, Waypost, WaypostError } from '@waypost/sdk';
import type { AccountDeletion, AccountExport, NewPasskey, PasskeyList, PasswordChange } from '@waypost/sdk/api-types';
import { errorOf, parseJson } from '@waypost/sdk/request';

export type * from '@waypost/sdk';
export type { PasskeyList };
export { WaypostError as ApiError };

/** How long an answer may take: the API promises one within 5 s. */
const TIMEOUT_MS = 10_000;

/** The published client. The session's cookie stands for the key: the server looks at no cookie beside one. */
const client = (retries: number) =>
  new Waypost({
    url: location.origin,
    apiKey: '',
    retries,
    timeoutMs: TIMEOUT_MS,
    maxWaitMs: 6_000,
    fetch: (input, init) => {
      const headers = new Headers(init?.headers);
      for (const name of ['Authorization', 'User-Agent']) headers.delete(name);
      return fetch(input, { ...init, headers });
    },
  });
/** For reading, and for creations, which an `Idempotency-Key` makes once. */
export const waypost = client(2);
/** For what a person confirms and waits for: after one try it is said what became of it. */
export const once = client(0);

/** For what the published client does not know: signing in and out, passwords, passkeys, leaving. */
async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(path, {
    method,
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body === undefined ? {} : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  }).catch(() => {
    throw new WaypostError('', { code: 'no_answer', outcomeUnknown: true });
  });
  const answer = parseJson(await response.text().catch(() => ''));
  if (response.ok) return answer as T;
  throw errorOf(location.origin, response, answer);
}

/** Whoever asks has no session, or has no account any more. */
export const isSignedOut = (error: unknown) => error instanceof WaypostError && error.status === 401;

export const STATUSES = ['', 'active', 'flagged', 'revoked'] as const;
export const SORTS = ['created_at', 'updated_at', 'slug', 'destination_url', 'status'] as const;
export const PAGE_SIZES = [25, 50, 100] as const;

interface Filter {
  readonly search: string;
  /** Empty: any. */
  readonly status: '' | Link['status'];
  readonly tag: readonly string[];
  readonly sort: (typeof SORTS)[number];
  readonly order: 'asc' | 'desc';
}
export interface Listing extends Filter {
  readonly page: number;
  readonly limit: number;
}

export const queryOf = ({ search, status, ...rest }: Filter | Listing): ListQuery => ({
  ...rest,
  search: search || undefined,
  status: status || undefined,
});

/** Of an error that says nothing was sent. */
export const OFFLINE = 'offline';

export const api = {
  /** Rejects without a network. The browser's word alone is no proof: Waypost may run on this very device. */
  reach: async () => {
    if (navigator.onLine) return;
    await fetch('/healthz', { cache: 'no-store' }).catch(() => {
      throw new WaypostError('', { code: OFFLINE });
    });
  },
  /** Whether this browser has a session: an answer, where the account would be refused. */
  isSignedIn: async () => (await ask<{ readonly signed_in: boolean }>('GET', '/session')).signed_in,
  signIn: (body: { email: string; password: string }) => ask('POST', '/session', body),
  firstRun: (body: { token: string; email: string; password: string }) => ask('POST', '/first-run', body),
  /** How else one may sign in. */
  signInOptions: () => ask<{ readonly provider: { readonly name: string } | null }>('GET', '/session/options'),
  /** The address at the provider. */
  askProvider: () => ask<{ readonly url: string }>('POST', '/session/oidc'),
  askPasskey: () => ask<PublicKeyCredentialRequestOptionsJSON>('POST', '/session/passkey/challenge'),
  signInByPasskey: (passkey: { id: string; response: Record<string, string> }) =>
    ask('POST', '/session/passkey', { passkey }),
  signOut: () => ask('DELETE', '/session'),
  signOutEverywhere: () => ask('DELETE', '/api/v1/account/sessions'),
  changePassword: (body: PasswordChange) => ask('PUT', '/api/v1/account/password', body),
  deleteAccount: (body: AccountDeletion) => ask('DELETE', '/api/v1/account', body),
  /** A page; `after` is `next` of the page before. */
  exportAccount: (after?: string) =>
    ask<AccountExport>(
      'GET',
      `/api/v1/account/export${after === undefined ? '' : `?after=${encodeURIComponent(after)}`}`,
    ),
  passkeys: () => ask<PasskeyList>('GET', '/api/v1/account/passkeys'),
  beginPasskey: () => ask<PublicKeyCredentialCreationOptionsJSON>('POST', '/api/v1/account/passkeys/challenge'),
  createPasskey: (body: NewPasskey) => ask('POST', '/api/v1/account/passkeys', body),
  deletePasskey: (id: string) => ask('DELETE', `/api/v1/account/passkeys/${id}`),
};
