import { type Actor, type Link, type ThreatType, takenDown } from '@waypost/domain';
import { type ChangeLinkDeps, changeLink } from './change-link.ts';

/** An operator flags any link that is not revoked; its owner reads why. Only a review clears it. */
export function takeDownLink(
  deps: ChangeLinkDeps,
  slug: string,
  found: { threatType: ThreatType; reason: string },
  by: Actor,
): Promise<Link> {
  return changeLink(deps, slug, {
    name: 'The take-down',
    apply: (current) => takenDown(current, found, deps.now()),
    note: { kind: 'take_down', ...found, by },
  });
}
