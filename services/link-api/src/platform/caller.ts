import type { Actor, QuotaWindow, Scope } from '@waypost/domain';

export interface Caller {
  readonly accountId: string;
  /** Null if the caller has a session instead of a key. */
  readonly keyId: string | null;
  readonly session?: { readonly tokenHash: Buffer; readonly startedAt: Date; readonly byLink: boolean };
  readonly scopes: readonly Scope[];
  readonly admin: boolean;
  /** Present only if the account is suspended. A suspended account may do nothing. */
  readonly suspension?: { readonly reason: string | null };
  /** The account's own or default limit, and its current window. They are read together with the key. */
  readonly creations: { readonly limit: number; readonly window: QuotaWindow | undefined };
}

/** Returns who made a change, for the audit log. The first characters of its hash identify a session. */
export function actorOf({ accountId, keyId, session }: Caller): Actor {
  return session === undefined
    ? { accountId, via: 'key', credential: keyId }
    : { accountId, via: 'session', credential: session.tokenHash.toString('hex').slice(0, 12) };
}
