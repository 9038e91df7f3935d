import { type Actor, type Link, type ThreatType, takeDownReasons, takenDown } from '@waypost/domain';
import { type ChangeLinkDeps, changeLink, type Decide } from '../links/index.ts';

interface TakeDown {
  readonly threatType: ThreatType;
  readonly reason: string;
}

/** Flags any link that is not revoked. Its owner can read the reason, and only a review clears the flag. */
export function takeDownLink(deps: ChangeLinkDeps, slug: string, takeDown: TakeDown, by: Actor): Promise<Link> {
  return changeLink(deps, slug, { name: 'The take-down', decide: takingDown(takeDown, by, deps.now) });
}

export function takingDown(takeDown: TakeDown, by: Actor, now: () => Date): Decide {
  const { threatType: threat_type, reason } = takeDown;
  const audit = ({ slug: subject, ownerId: accountId }: Link) => [
    { by, action: 'link.taken_down' as const, subject, accountId, detail: `${threat_type}: ${reason}` },
  ];
  return (current, history) => {
    const at = now();
    const verdict = { outcome: 'flagged', threat_type, reasons: takeDownReasons(reason, history) } as const;
    const note = { kind: 'verdict', verdict, generation: current.scanGeneration, at, audit } as const;
    return { ...takenDown(current, takeDown, at), note };
  };
}
