/** The first word of an action is the kind of its subject. */
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
  'webhook.changed',
  'webhook.created',
  'webhook.deleted',
  'webhook.secret_rotated',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export interface Actor {
  /** Null for an operator. */
  readonly accountId: string | null;
  /**
   * `first_run`: the person used the one-time address for the first account. `provider`: the person signed in with
   * OpenID Connect.
   */
  readonly via: 'key' | 'session' | 'operator' | 'first_run' | 'provider';
  /** The id of the key, or the first characters of the hash of the session. */
  readonly credential: string | null;
}

export const OPERATOR: Actor = { accountId: null, via: 'operator', credential: null };
