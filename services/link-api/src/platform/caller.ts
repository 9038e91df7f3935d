import {
  type Actor,
  DomainError,
  OPERATOR,
  permits,
  type QuotaWindow,
  type Scope,
  type SignInWay,
} from '@waypost/domain';

export interface Caller {
  /** Present only if the operator calls, who has no account. */
  readonly operator?: true;
  readonly accountId: string;
  /** Null if the caller has a session instead of a key. */
  readonly keyId: string | null;
  readonly session?: {
    readonly tokenHash: Buffer;
    readonly via: SignInWay;
    /** When the person last signed in or proved who they are. */
    readonly provedAt: Date;
  };
  readonly scopes: readonly Scope[];
  readonly admin: boolean;
  /** Present only if the account is suspended. A suspended account may do nothing. */
  readonly suspension?: { readonly reason: string | null };
  /** The account's own or default limit, and its current window. They are read together with the key. */
  readonly creations: { readonly limit: number; readonly window: QuotaWindow | undefined };
}

/** The first characters of its hash identify a session, for people and in the audit log. */
export const SESSION_ID_LENGTH = 12;
export const sessionId = (tokenHash: Buffer): string => tokenHash.toString('hex').slice(0, SESSION_ID_LENGTH);

/** Of a caller whose endpoint needs a session. */
export function ownSession({ session }: Caller): NonNullable<Caller['session']> {
  if (session === undefined) throw new Error('a caller without a session');
  return session;
}

export const sessionEnded = () => new DomainError('credentials_wrong', 'The session has ended. Sign in again.');

/** Rule 3 of Authentication in docs/contract.md: the scope `admin` also needs an administrator's account. */
export function hasScope({ scopes, admin }: Pick<Caller, 'scopes' | 'admin'>, scope: Scope): boolean {
  return permits(scopes, scope) && (scope !== 'admin' || admin);
}

/** Returns who made a change, for the audit log. */
export function actorOf({ operator, accountId, keyId, session }: Caller): Actor {
  if (operator) return OPERATOR;
  return session === undefined
    ? { accountId, via: 'key', credential: keyId }
    : { accountId, via: 'session', credential: sessionId(session.tokenHash) };
}

const PROOF_MS = 15 * 60_000;

/** A sign-in counts as a proof. A key needs none. */
export const isProven = ({ session }: Caller, now: Date): boolean =>
  session === undefined || now.getTime() - session.provedAt.getTime() < PROOF_MS;

export const proofNeeded = () =>
  new DomainError('proof_needed', 'Confirm your identity first: your sign-in was more than 15 minutes ago.', {
    details: { proof: 'is required' },
  });
