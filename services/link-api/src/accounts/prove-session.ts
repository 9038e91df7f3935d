/** A session proves again who its owner is, before it adds what outlives it (decision 0024). */

import { type Caller, ownSession, sessionEnded } from '../platform/caller.ts';
import { invalid } from '../platform/checks.ts';
import { hashSecret } from '../platform/hash-secret.ts';
import type { PasskeyDeps } from './passkeys/answered-challenge.ts';
import type { PasskeyAssertion } from './passkeys/passkeys.port.ts';
import { accountOfPasskey } from './passkeys/sign-in.ts';
import { checkOwnPassword } from './prove-owner.ts';
import type { Sessions } from './sessions.port.ts';
import { newToken, type SignInDeps } from './start-session.ts';

/** Resolves to a new token, which ends every copy of the earlier one. Throws `credentials_wrong`. */
export async function proven(
  { sessions, now }: { readonly sessions: Pick<Sessions, 'prove'>; readonly now: () => Date },
  session: Buffer,
): Promise<string> {
  const token = newToken();
  if (await sessions.prove(session, hashSecret(token), now())) return token;
  throw sessionEnded();
}

/** Throws `validation_failed`, `credentials_wrong` and `too_many_attempts`. */
export async function proveSession(
  deps: SignInDeps & PasskeyDeps,
  caller: Caller,
  { password, passkey }: { readonly password: string | undefined; readonly passkey: PasskeyAssertion | undefined },
  signal: AbortSignal,
): Promise<string> {
  const { accountId } = caller;
  if ((password === undefined) === (passkey === undefined))
    throw invalid({ current_password: 'or passkey is required, but not both' });
  if (passkey !== undefined) {
    const account = await accountOfPasskey(deps, passkey);
    if (account?.id !== accountId) throw invalid({ passkey: 'does not belong to this account' });
  } else {
    const account = await deps.accounts.own(accountId);
    await checkOwnPassword(deps, account, password!, signal);
  }
  return proven(deps, ownSession(caller).tokenHash);
}
