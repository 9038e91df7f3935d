import type { Accounts, Identities, Passkeys, Sessions } from '../accounts/index.ts';
import type { ApiKeys } from '../keys/index.ts';
import type { Webhooks } from '../webhooks/index.ts';

export interface Deps {
  readonly accounts: Pick<Accounts, 'own'>;
  readonly sessions: Sessions;
  readonly passkeys: Passkeys;
  readonly identities: Identities;
  readonly keys: ApiKeys;
  readonly webhooks: Webhooks;
  readonly now: () => Date;
}

export async function credentialsOf({ accounts, now, ...stores }: Deps, id: string) {
  const account = await accounts.own(id);
  const [sessions, devices, passkeys, identities, keys, webhooks] = await Promise.all([
    stores.sessions.list(id, now()),
    stores.sessions.devices(id),
    stores.passkeys.list(id),
    stores.identities.list(id),
    stores.keys.list(id),
    stores.webhooks.list(id),
  ]);
  const { email, passwordHash } = account;
  return { email, hasPassword: passwordHash !== null, sessions, devices, passkeys, identities, keys, webhooks };
}
