import { actorOf, type Caller } from '../platform/caller.ts';
import type { Sessions } from './sessions.port.ts';

export async function endSession(
  deps: { readonly sessions: Pick<Sessions, 'endOne'> },
  caller: Caller,
  id: string,
): Promise<void> {
  const { accountId } = caller;
  await deps.sessions.endOne(accountId, id, () => [
    { by: actorOf(caller), action: 'session.ended', subject: id, accountId },
  ]);
}
