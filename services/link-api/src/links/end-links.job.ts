import { ended } from '@waypost/domain';
import { type Background, background, ifNoteworthy } from '@waypost/resilience';
import type { LinkStore } from './link-store.port.ts';

interface Deps {
  readonly links: Pick<LinkStore, 'ended' | 'updateAll'>;
  readonly now: () => Date;
  readonly onLateError: (error: unknown) => void;
}

const BATCH = 500;
const POLL_MS = 1_000;
const BACK_OFF = { first: POLL_MS, most: 3 * POLL_MS };

/**
 * Revokes links that reached their end. Redirectors stop by their own clocks, and the relay updates caches. Several
 * processes may run this job: the second to lock a link changes nothing. Resolves when all links that ended while this
 * process was away are revoked, so that the API agrees from its first answer on.
 */
export async function endLinks(deps: Deps): Promise<Background> {
  const endNext = async () => {
    const slugs = await deps.links.ended(deps.now(), BATCH);
    await deps.links.updateAll(slugs.map((slug) => ({ slug, decide: (current) => ended(current, deps.now()) })));
    return slugs.length === BATCH ? 0 : POLL_MS;
  };
  while ((await endNext()) === 0);
  return background({
    backOff: BACK_OFF,
    work: endNext,
    onFailure: ifNoteworthy(deps.onLateError),
  }).start();
}
