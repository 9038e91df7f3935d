/** What the dashboard asks of the server: the endpoints of the API with the session's cookie, and signing in and out. */
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import type {
  Account,
  Analytics,
  ApiKeyList,
  Created,
  CreatedApiKey,
  Link,
  LinkPage,
  NewApiKey,
  NewLink,
  NewPasskey,
  PasskeyList,
  PasswordChange,
} from '@waypost/sdk/api-types';

export type { Account, Analytics, ApiKeyList, Created, CreatedApiKey, Link, LinkPage, PasskeyList };

export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** 0: no answer. */
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;
  readonly errorId: string | undefined;

  constructor(status: number, message: string, details: Record<string, unknown> = {}, errorId?: string) {
    super(message);
    this.status = status;
    this.details = details;
    this.errorId = errorId;
  }
}

interface Refused {
  readonly message?: string;
  readonly details?: Record<string, unknown>;
  readonly error_id?: string;
}

async function ask<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> {
  const response = await fetch(path, {
    method,
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new ApiError(0, '');
  });
  const answer: unknown = await response.json().catch(() => ({}));
  if (response.ok) return answer as T;
  const { message = '', details, error_id: errorId } = answer as Refused;
  throw new ApiError(response.status, message, details, errorId);
}

const link = (slug: string) => `/api/v1/links/${encodeURIComponent(slug)}`;

export interface Listing {
  readonly page: number;
  readonly search: string;
  readonly status: string;
}
export const PAGE_SIZE = 25;

export const api = {
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
  account: () => ask<Account>('GET', '/api/v1/account'),
  changePassword: (body: PasswordChange) => ask('PUT', '/api/v1/account/password', body),
  passkeys: () => ask<PasskeyList>('GET', '/api/v1/account/passkeys'),
  beginPasskey: () => ask<PublicKeyCredentialCreationOptionsJSON>('POST', '/api/v1/account/passkeys/challenge'),
  createPasskey: (body: NewPasskey) => ask('POST', '/api/v1/account/passkeys', body),
  deletePasskey: (id: string) => ask('DELETE', `/api/v1/account/passkeys/${id}`),
  keys: () => ask<ApiKeyList>('GET', '/api/v1/account/keys'),
  createKey: (body: NewApiKey) => ask<CreatedApiKey>('POST', '/api/v1/account/keys', body),
  deleteKey: (id: string) => ask('DELETE', `/api/v1/account/keys/${id}`),
  links: ({ page, search, status }: Listing) => {
    const query = new URLSearchParams({ page: String(page), limit: String(PAGE_SIZE) });
    if (search !== '') query.set('search', search);
    if (status !== '') query.set('status', status);
    return ask<LinkPage>('GET', `/api/v1/links?${query}`);
  },
  /** A retry with the same key makes no second link. */
  createLink: (body: NewLink, idempotencyKey: string) =>
    ask<Created>('POST', '/api/v1/links', body, { 'Idempotency-Key': idempotencyKey }),
  link: (slug: string) => ask<Link>('GET', link(slug)),
  revoke: (slug: string) => ask<Link>('POST', `${link(slug)}/revoke`),
  analytics: (slug: string, period: string) => ask<Analytics>('GET', `${link(slug)}/analytics?period=${period}`),
};
