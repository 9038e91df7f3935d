import type { Account } from './accounts.ts';

/** Who somebody is at a provider: its subject never goes to somebody else, an e-mail address may. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  /** Undefined if the provider did not verify it. */
  readonly email: string | undefined;
}

/** What ties the provider's answer to the browser that asked. */
export interface SignInChecks {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** OpenID Connect, authorization code flow. Throws `unavailable` while the provider is away. */
export interface IdentityProvider {
  /** On the button. */
  readonly name: string;
  begin(redirectUrl: string): Promise<{ readonly url: string; readonly checks: SignInChecks }>;
  /** `callback` is `redirectUrl` with the answer in its query. Undefined for an answer that does not fit. */
  finish(callback: URL, checks: SignInChecks): Promise<Identity | undefined>;
}

/** Whose account an identity opens at its first sign-in; nobody's by default. */
export interface ProviderPolicy {
  /** That of the same address, which from then on belongs to this identity. */
  readonly linkByEmail: boolean;
  /** A new one, for addresses of these domains, in lower case. */
  readonly allowedDomains: readonly string[];
}

export interface ConfiguredProvider extends ProviderPolicy {
  readonly provider: IdentityProvider;
}

export interface Identities {
  find(identity: Pick<Identity, 'issuer' | 'subject'>): Promise<Account | undefined>;
  /** False if the account has another identity of this issuer, or the identity another account. */
  link(accountId: string, identity: Pick<Identity, 'issuer' | 'subject'>): Promise<boolean>;
}
