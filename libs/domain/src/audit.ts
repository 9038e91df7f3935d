/** The first word of an action is the kind of its subject. */
export const AUDIT_ACTIONS = [
  'account.created',
  'account.deleted',
  'account.keys_read',
  'account.limit_set',
  'account.links_imported',
  'account.password_changed',
  'account.resumed',
  'account.secured',
  'account.sessions_ended',
  'account.sign_in_link_made',
  'account.suspended',
  'backup.made',
  'backup.restored',
  'case.decided',
  'feed.entry_released',
  'feed.imported',
  'identity.linked',
  'identity.removed',
  'key.created',
  'key.deleted',
  'link.exported',
  'link.read',
  'link.reviewed',
  'link.taken_down',
  'passkey.created',
  'passkey.deleted',
  'session.ended',
  'session.started',
  'visitor_secret.rotated',
  'webhook.changed',
  'webhook.created',
  'webhook.deleted',
  'webhook.secret_rotated',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export const SIGN_IN_WAYS = ['password', 'passkey', 'provider', 'sign_in_link', 'first_run'] as const;
export type SignInWay = (typeof SIGN_IN_WAYS)[number];
export const ACTOR_VIA = ['key', 'session', 'operator', ...SIGN_IN_WAYS] as const;

export interface Actor {
  /** Null for an operator. */
  readonly accountId: string | null;
  /**
   * `first_run`: the person used the one-time address for the first account. `provider`: the person signed in with
   * OpenID Connect. A session is begun by one of these two, a password, a passkey or a sign-in link.
   */
  readonly via: (typeof ACTOR_VIA)[number];
  /** The id of the key, or the first characters of the hash of the session. */
  readonly credential: string | null;
}

export const OPERATOR: Actor = { accountId: null, via: 'operator', credential: null };
