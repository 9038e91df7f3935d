import { countAttempt } from '../platform/attempts.ts';
import { hashSecret } from '../platform/hash-secret.ts';
import { ATTEMPTS } from './limits.ts';
import type { SignInDeps } from './start-session.ts';

/** Owners with a session, and browsers that signed in before, have their own queue for hashing. */
export const OWNERS = 'owners';

/** Sessions have their own attempt counter, so strangers cannot lock the owner out. */
export const toSignIn = (email: string) => hashSecret(`sign-in ${email.toLowerCase()}`);

export const ofSession = (accountId: string) => hashSecret(`password of ${accountId}`);

/** This counts before the password is checked, so parallel attempts cannot exceed the limit. */
export const countTry = (deps: SignInDeps, subject: Buffer, most: number = ATTEMPTS.passwords) =>
  countAttempt(deps, subject, most, 'Too many attempts. Try again later, or ask an operator for a sign-in link.');
