import type { Actor } from '@waypost/domain';
import type { Caller } from '@waypost/ports';

/** Who makes a change, for the audit log. Of a session's hash the first characters tell it from others. */
export function actorOf({ accountId, keyId, session }: Caller): Actor {
  return session === undefined
    ? { accountId, via: 'key', credential: keyId }
    : { accountId, via: 'session', credential: session.tokenHash.toString('hex').slice(0, 12) };
}
