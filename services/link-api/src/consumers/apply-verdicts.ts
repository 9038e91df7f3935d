import { flagged, hasCode, mostSevere, unflagged, VERDICTS, type VerdictEvent } from '@waypost/domain';
import type { Bus, LinkCache, LinkStore, Subscription } from '@waypost/ports';
import { oneByOne } from '@waypost/typed-bus';
import { type ChangeLinkDeps, changeLink } from '../use-cases/change-link.ts';
import { finishDeepScan } from '../use-cases/finish-deep-scan.ts';

interface Deps extends ChangeLinkDeps {
  readonly bus: Bus;
  readonly cache: Pick<LinkCache, 'announce' | 'replace'>;
  readonly links: Pick<LinkStore, 'update' | 'clearedEvidence' | 'flagEvidence'>;
}

/** Topic `verdicts`: what later scans found. Applying a verdict twice changes nothing more. */
export function applyVerdicts(deps: Deps): Promise<Subscription> {
  return deps.bus.subscribe(
    VERDICTS,
    'link-api',
    oneByOne('apply verdict', (verdict) => APPLY[verdict.type](deps, verdict)),
  );
}

async function applyThreat(deps: Deps, verdict: VerdictEvent): Promise<void> {
  // Evidence that a review cleared does not count again; evidence from another source does.
  const clearedBefore = new Set(await deps.links.clearedEvidence(verdict.slug));
  const reasons = verdict.reasons.filter(({ rule, evidence }) => !clearedBefore.has(`${rule} ${evidence}`));
  const threat_type = mostSevere(reasons.flatMap((reason) => reason.threat_type ?? []));
  if (threat_type === null) return;
  const { generation } = verdict;
  const found = { outcome: 'flagged', threat_type, reasons } as const;
  await changeLink(deps, verdict.slug, {
    name: 'The verdict',
    apply: (current) =>
      current.destinationUrl === verdict.destination_url
        ? flagged(current, { threatType: threat_type, reasons, generation }, deps.now())
        : undefined,
    note: { kind: 'verdict', verdict: found, generation },
  }).catch((error: unknown) => {
    if (!hasCode(error, 'link_not_found')) throw error; // no link to flag, and a retry would not find one either
  });
}

/** Clears a link that only lists had flagged, as none lists it any more; a review decides about any other. */
async function applyGone(deps: Deps, verdict: VerdictEvent): Promise<void> {
  const { slug, generation, reasons } = verdict;
  const flag = await deps.links.flagEvidence(slug);
  if (flag === undefined) return;
  const sources = reasons.map(({ rule }) => rule);
  const held = new Set(flag.reasons.map(({ rule }) => rule));
  const why = reasons.filter(({ rule }) => held.has(rule));
  await changeLink(deps, slug, {
    name: 'The verdict',
    apply: (current) =>
      current.destinationUrl === verdict.destination_url && current.version === flag.version
        ? unflagged(current, flag, { sources, generation }, deps.now())
        : undefined,
    note: { kind: 'verdict', verdict: { outcome: 'clean', threat_type: null, reasons: why }, generation },
  }).catch((error: unknown) => {
    if (!hasCode(error, 'link_not_found')) throw error;
  });
}

const APPLY: Readonly<Record<VerdictEvent['type'], (deps: Deps, verdict: VerdictEvent) => Promise<void>>> = {
  'threat.found': applyThreat,
  'threat.gone': applyGone,
  'deep_scan.done': finishDeepScan,
};
