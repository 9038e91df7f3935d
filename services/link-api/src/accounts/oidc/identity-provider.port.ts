import type { NotesOf } from '../../audit/index.ts';
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

/** `prove`: the identity must be one of the session's account. `link`: it becomes one. */
export const PURPOSES = ['sign-in', 'prove', 'link'] as const;

export interface BegunSignIn extends SignInChecks {
  readonly purpose: (typeof PURPOSES)[number];
  /** The SHA-256 of the token of the session in which it began. The provider's answer comes without that cookie. */
  readonly session: Buffer | undefined;
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

export interface LinkedIdentity extends Pick<Identity, 'issuer' | 'subject'> {
  readonly id: string;
  readonly createdAt: Date;
}

export interface Identities {
  find(identity: Pick<Identity, 'issuer' | 'subject'>): Promise<Account | undefined>;
  list(accountId: string): Promise<readonly LinkedIdentity[]>;
  /** Returns false if the account has an identity of this issuer, or the identity an account. */
  link(
    accountId: string,
    identity: Pick<Identity, 'issuer' | 'subject'>,
    notes: NotesOf<LinkedIdentity>,
  ): Promise<boolean>;
  /** Throws `identity_not_found`, also for an identity of another account. */
  remove(accountId: string, id: string, notes: NotesOf<LinkedIdentity>): Promise<void>;
}
