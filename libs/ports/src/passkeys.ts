import type { Actor } from '@waypost/domain';
import type { Account } from './accounts.ts';

export interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

/** What an authenticator made: its own id for the key pair, in base64url, the public key (COSE) and how often it signed. */
export interface PasskeyCredential {
  readonly credentialId: string;
  readonly publicKey: Buffer;
  /** 0 from authenticators that do not count. */
  readonly counter: number;
}

export interface Passkeys {
  /** Throws `too_many_passkeys` at `max` of the account, exact under concurrency, and `passkey_exists`. */
  create(passkey: { accountId: string; name: string; max: number } & PasskeyCredential, by: Actor): Promise<Passkey>;
  /** Of an account, the newest first. */
  list(accountId: string): Promise<readonly (Passkey & Pick<PasskeyCredential, 'credentialId'>)[]>;
  find(credentialId: string): Promise<(PasskeyCredential & { readonly account: Account }) | undefined>;
  /** False if the counter is not above the last one: the authenticator was copied, or another request was first. */
  use(credentialId: string, counter: number, now: Date): Promise<boolean>;
  /** Throws `passkey_not_found`, also for one of another account. */
  delete(id: string, accountId: string, by: Actor): Promise<void>;
  /** Of an account that adds a passkey, or of nobody yet: a sign-in. Drops expired ones, and the oldest of very many. */
  putChallenge(challenge: { hash: Buffer; accountId: string | null; at: Date; expiresAt: Date }): Promise<void>;
  /** Whether there was such a challenge; it is used up. Of several callers at once, one gets it. */
  useChallenge(hash: Buffer, accountId: string | null, now: Date): Promise<boolean>;
}

/** What a browser sends for a passkey that was made (`attestationObject`). */
export interface PasskeyCreation {
  readonly id: string;
  readonly response: { readonly clientDataJSON: string; readonly attestationObject: string };
}

/** What a browser sends for a sign-in with a passkey. */
export interface PasskeyAssertion {
  readonly id: string;
  readonly response: {
    readonly clientDataJSON: string;
    readonly authenticatorData: string;
    readonly signature: string;
    readonly userHandle: string;
  };
}

/** The two ceremonies of WebAuthn, for one address. Options are JSON for the browser. */
export interface Ceremonies {
  creationOptions(account: Pick<Account, 'id' | 'email'>, known: readonly string[]): Promise<CeremonyOptions>;
  signInOptions(): Promise<CeremonyOptions>;
  /** The challenge that an answer says it signed; undefined in a malformed one. */
  challengeOf(answer: PasskeyCreation | PasskeyAssertion): string | undefined;
  /** Undefined unless everything is right: challenge, origin, RP id, a verified user, a key that we understand. */
  created(answer: PasskeyCreation, challenge: string): Promise<PasskeyCredential | undefined>;
  /** The new counter; undefined unless everything is right. */
  asserted(
    answer: PasskeyAssertion,
    challenge: string,
    known: PasskeyCredential & { readonly account: Pick<Account, 'id'> },
  ): Promise<number | undefined>;
}

export interface CeremonyOptions {
  readonly challenge: string;
}
