import { type Actor, type Link, type ThreatType, takenDown } from '@waypost/domain';
import { type ChangeLinkDeps, changeLink, type LinkNote } from '../links/index.ts';

interface TakeDown {
  readonly threatType: ThreatType;
  readonly reason: string;
}

/** Flags any link that is not revoked. Its owner can read the reason, and only a review clears the flag. */
export function takeDownLink(deps: ChangeLinkDeps, slug: string, takeDown: TakeDown, by: Actor): Promise<Link> {
  return changeLink(deps, slug, {
    name: 'The take-down',
    apply: (current) => takenDown(current, takeDown, deps.now()),
    note: takeDownNote(takeDown, by),
  });
}

export function takeDownNote(takeDown: TakeDown, by: Actor): LinkNote {
  return {
    kind: 'take_down',
    ...takeDown,
    audit: ({ slug: subject, ownerId: accountId }) => [
      { by, action: 'link.taken_down', subject, accountId, detail: `${takeDown.threatType}: ${takeDown.reason}` },
    ],
  };
}
