import type { Account } from '../accounts.port.ts';

/** The identity of a person at a provider. A provider never reassigns `subject`, but may reassign an e-mail address. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  /** Undefined if the provider did not verify the address. */
  readonly email: string | undefined;
}

/** These values tie the provider's answer to the browser that started the sign-in. */
export interface SignInChecks {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** Signs in by the authorization code flow of OpenID Connect. Throws `unavailable` while the provider is away. */
export interface IdentityProvider {
  readonly name: string;
  begin(redirectUrl: string): Promise<{ readonly url: string; readonly checks: SignInChecks }>;
  /** `callback` is `redirectUrl` with the provider's answer as its query. Undefined if the answer is not valid. */
  finish(callback: URL, checks: SignInChecks): Promise<Identity | undefined>;
}

/** Decides which account an identity opens at its first sign-in. By default it opens none. */
export interface ProviderPolicy {
  /** If true, an identity opens the account with the same e-mail address and is linked to it. */
  readonly linkByEmail: boolean;
  /** People with addresses in these domains get a new account. The domains are in lower case. */
  readonly allowedDomains: readonly string[];
}

export interface ConfiguredProvider extends ProviderPolicy {
  readonly provider: IdentityProvider;
}

export interface Identities {
  find(identity: Pick<Identity, 'issuer' | 'subject'>): Promise<Account | undefined>;
  /** Returns false if this account or this identity is already linked to another. */
  link(accountId: string, identity: Pick<Identity, 'issuer' | 'subject'>): Promise<boolean>;
}
