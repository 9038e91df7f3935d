import type { NotesOf } from '../../audit/index.ts';
import type { Account } from '../accounts.port.ts';

export interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

/** The id is base64url; the public key is in COSE format. */
export interface PasskeyCredential {
  readonly credentialId: string;
  readonly publicKey: Buffer;
  /** Some authenticators do not count and always send 0. */
  readonly counter: number;
}

export interface Passkeys {
  /** Throws `passkey_exists`, or `too_many_passkeys` beyond `max` passkeys, also of concurrent calls. */
  create(
    passkey: { accountId: string; name: string; max: number } & PasskeyCredential,
    notes: NotesOf<Passkey>,
  ): Promise<Passkey>;
  list(accountId: string): Promise<readonly (Passkey & Pick<PasskeyCredential, 'credentialId'>)[]>;
  find(credentialId: string): Promise<(PasskeyCredential & { readonly account: Account }) | undefined>;
  /** Returns false if the counter did not increase: the authenticator was cloned, or another request was faster. */
  use(credentialId: string, counter: number, now: Date): Promise<boolean>;
  /** Throws `passkey_not_found`, also for a passkey of another account. */
  delete(id: string, accountId: string, notes: NotesOf<Pick<Passkey, 'id' | 'name'>>): Promise<void>;
  /** Remembers until `expiresAt` that this challenge was used. Returns false if it was used before. */
  useChallenge(hash: Buffer, expiresAt: Date, now: Date): Promise<boolean>;
}

export interface PasskeyCreation {
  readonly id: string;
  readonly response: { readonly clientDataJSON: string; readonly attestationObject: string };
}

export interface PasskeyAssertion {
  readonly id: string;
  readonly response: {
    readonly clientDataJSON: string;
    readonly authenticatorData: string;
    readonly signature: string;
    readonly userHandle: string;
  };
}

/** Creates and checks passkeys for one base URL by WebAuthn. Options are JSON for the browser. */
export interface Ceremonies {
  creationOptions(
    account: Pick<Account, 'id' | 'email'>,
    existingIds: readonly string[],
    challenge: Buffer,
  ): Promise<CeremonyOptions>;
  signInOptions(challenge: Buffer): Promise<CeremonyOptions>;
  /** Returns the challenge that the answer claims to have signed. Undefined if the answer is malformed. */
  challengeOf(answer: PasskeyCreation | PasskeyAssertion): string | undefined;
  /** Resolves to undefined unless challenge, origin, RP id, user verification and key type are all valid. */
  created(answer: PasskeyCreation, challenge: string): Promise<PasskeyCredential | undefined>;
  /** Resolves to the new counter, or to undefined if any part of the answer is not valid. */
  asserted(
    answer: PasskeyAssertion,
    challenge: string,
    credential: PasskeyCredential & { readonly account: Pick<Account, 'id'> },
  ): Promise<number | undefined>;
}

export interface CeremonyOptions {
  readonly challenge: string;
}
