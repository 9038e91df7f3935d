/** The audit log: what is noted of changes by administrators, and of every change to an account or a key. */

/** Each begins with the kind of its subject. */
export const AUDIT_ACTIONS = [
  'account.created',
  'account.deleted',
  'account.limit_set',
  'account.password_changed',
  'account.resumed',
  'account.sessions_ended',
  'account.sign_in_link_made',
  'account.suspended',
  'case.decided',
  'key.created',
  'key.deleted',
  'link.reviewed',
  'link.taken_down',
  'passkey.created',
  'passkey.deleted',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Who makes a change: an account, or an operator at the command line. */
export interface Actor {
  /** Null: no account. */
  readonly accountId: string | null;
  /** `first_run`: whoever holds the one-time address for the first account. `provider`: who signs in by OpenID Connect. */
  readonly via: 'key' | 'session' | 'operator' | 'first_run' | 'provider';
  /** The id of the key, or the first characters of the session's hash. */
  readonly credential: string | null;
}

export const OPERATOR: Actor = { accountId: null, via: 'operator', credential: null };
