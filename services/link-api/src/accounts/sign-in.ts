import type { Actor } from '@waypost/domain';
import { hashSecret } from '../platform/hash-secret.ts';
import type { Origin, Place } from '../platform/place.ts';
import type { Account } from './accounts.port.ts';
import { deviceOf } from './device.ts';
import { ATTEMPTS, GUESSES, PASSWORDS } from './limits.ts';
import { countTry, OWNERS, toSignIn } from './password-attempts.ts';
import { isPassword } from './passwords.ts';
import { credentialsWrong, type SignedIn, type SignInDeps, startSession } from './start-session.ts';

/**
 * A flood of guesses leaves at most three entries for each 15 minutes, since most of it is refused. Nobody waits for
 * the entry, because the time of the answer would tell that the account exists.
 */
function noteWrongPassword(deps: SignInDeps, account: Account | undefined, attempts: number, most: number): void {
  if (account === undefined || ![1, ATTEMPTS.passwords, most].includes(attempts)) return;
  const { id } = account;
  const by: Actor = { accountId: null, via: 'password', credential: null };
  const refused = attempts === most ? '. Further attempts are refused for now.' : ' within 15 minutes.';
  const detail = attempts === 1 ? 'Wrong password.' : `${attempts} wrong passwords${refused}`;
  void deps.audit
    .refused({ by, action: 'session.started', subject: id, accountId: id, detail })
    .catch(deps.onLateError);
}

/** Where an attempt to sign in comes from. */
export interface From {
  readonly place: Pick<Place, 'site' | 'shared' | 'leave'>;
  /** The value of the device cookie, before any check. */
  readonly device: string | undefined;
  readonly origin: Origin;
}

/** Throws `too_many_attempts`. Throws `credentials_wrong` with the same message after the same work for every cause. */
export async function signIn(
  deps: SignInDeps,
  { email, password }: { email: string; password: string },
  { place, device: cookie, origin }: From,
  signal: AbortSignal,
): Promise<SignedIn> {
  const device = await deviceOf(deps.secret, email, cookie);
  place.leave();
  const release = await (device === undefined
    ? deps.slotsOf(GUESSES).take(place.site, signal)
    : deps.slotsOf(PASSWORDS).take(OWNERS, signal));
  try {
    // Each attempt is a row. Counting only after the wait limits how many rows strangers can create.
    const counts = countsOf(email, place, device);
    let attempts = 0;
    for (const { subject, most } of counts) attempts = await countTry(deps, subject, most);
    const account = await deps.accounts.credentials(email);
    const right = await isPassword(password, account?.passwordHash);
    if (account?.passwordHash == null || !right) {
      noteWrongPassword(deps, account, attempts, counts.at(-1)!.most);
      throw credentialsWrong();
    }
    for (const { subject } of counts) await deps.attempts.clear(subject);
    return await startSession(deps, account, { via: 'password', origin, passwordHash: account.passwordHash });
  } finally {
    release();
  }
}

interface Count {
  readonly subject: Buffer;
  readonly most: number;
}

/**
 * One network is refused before it can use up the attempts of all networks, which come last. Behind a proxy that is not
 * trusted there is one network for all people, so only the e-mail address counts.
 */
function countsOf(email: string, { site, shared }: From['place'], device: string | undefined): readonly Count[] {
  if (device !== undefined) return [{ subject: hashSecret(`sign-in by ${device}`), most: ATTEMPTS.passwords }];
  const ofAll = { subject: toSignIn(email), most: ATTEMPTS.passwordsOfAll };
  const ofSite = hashSecret(`sign-in ${email.toLowerCase()} from ${site}`);
  return shared ? [ofAll] : [{ subject: ofSite, most: ATTEMPTS.passwords }, ofAll];
}
