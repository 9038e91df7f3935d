import { LIMITS } from '@waypost/domain';
import { actorOf, type Caller } from '../../platform/caller.ts';
import { invalid, nameProblem } from '../../platform/checks.ts';
import { challengeOf, type PasskeyDeps, useUp } from './answered-challenge.ts';
import { newChallenge } from './challenges.ts';
import type { CeremonyOptions, Passkey, PasskeyCreation } from './passkeys.port.ts';

export async function beginPasskey(deps: PasskeyDeps, accountId: string): Promise<CeremonyOptions> {
  const account = await deps.accounts.own(accountId);
  const existing = await deps.passkeys.list(accountId);
  const ids = existing.map(({ credentialId }) => credentialId);
  return deps.ceremonies.creationOptions(account, ids, await newChallenge(deps.secret, accountId, deps.now()));
}

/** Throws `validation_failed`, `too_many_passkeys` and `passkey_exists`. */
export async function createPasskey(
  deps: PasskeyDeps,
  caller: Caller,
  { name, passkey }: { readonly name: string; readonly passkey: PasskeyCreation },
): Promise<Passkey> {
  const { accountId } = caller;
  const problem = nameProblem(name);
  if (problem !== undefined) throw invalid({ name: problem });
  const challenge = await challengeOf(deps, passkey, accountId);
  const credential = challenge && (await deps.ceremonies.created(passkey, challenge.text));
  if (challenge === undefined || credential === undefined || !(await useUp(deps, challenge)))
    throw invalid({ passkey: 'must answer an unused challenge of the last 5 minutes' });
  const named = { accountId, name: name.trim(), max: LIMITS.passkeysPerAccount, ...credential };
  return deps.passkeys.create(named, ({ id }) => [
    { by: actorOf(caller), action: 'passkey.created', subject: id, accountId, detail: named.name },
  ]);
}
