import { aboutAccount } from '../audit/index.ts';
import { actorOf, type Caller } from '../platform/caller.ts';
import type { Sessions } from './sessions.port.ts';

export function endSessions(deps: { readonly sessions: Pick<Sessions, 'endAll'> }, caller: Caller): Promise<void> {
  return deps.sessions.endAll(caller.accountId, () => [
    aboutAccount(actorOf(caller), 'account.sessions_ended', caller.accountId),
  ]);
}
