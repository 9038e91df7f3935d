import {
  flagged,
  mostSevere,
  parseVerdictEvent,
  redirectRecord,
  TOPICS,
  UnreadableMessage,
  type VerdictEvent,
} from '@waypost/domain';
import type { Bus, LinkCache, LinkStore, Subscription } from '@waypost/ports';
import { inSpan } from '@waypost/service-kit';

interface Deps {
  readonly bus: Bus;
  readonly links: Pick<LinkStore, 'update' | 'clearedEvidence'>;
  readonly cache: Pick<LinkCache, 'replace'>;
  readonly now: () => Date;
}

/** Topic `verdicts`: a later scan found a threat. Applying one twice changes nothing more. */
export function applyVerdicts(deps: Deps): Promise<Subscription> {
  return deps.bus.subscribe(TOPICS.verdicts, 'link-api', async (messages, park) => {
    for (const message of messages) {
      let verdict: VerdictEvent;
      try {
        verdict = parseVerdictEvent(message.value);
      } catch (error) {
        if (!(error instanceof UnreadableMessage)) throw error;
        await park(message, error);
        continue;
      }
      await inSpan('apply verdict', message.headers?.traceparent, () => applyVerdict(deps, verdict));
    }
  });
}

async function applyVerdict(deps: Deps, verdict: VerdictEvent): Promise<void> {
  // What a review cleared does not count again; what another source found does.
  const clearedBefore = new Set(await deps.links.clearedEvidence(verdict.slug));
  const reasons = verdict.reasons.filter(({ rule, evidence }) => !clearedBefore.has(`${rule} ${evidence}`));
  const threat_type = mostSevere(reasons.flatMap((reason) => reason.threat_type ?? []));
  if (threat_type === null) return;
  const { generation } = verdict;
  const link = await deps.links.update(
    verdict.slug,
    (current) =>
      current.destinationUrl === verdict.destination_url
        ? flagged(current, { threatType: threat_type, reasons, generation }, deps.now())
        : undefined,
    { kind: 'verdict', verdict: { outcome: 'flagged', threat_type, reasons }, generation },
  );
  // Also if it was flagged before: the process may have ended between the commit and this line.
  if (link?.status === 'flagged') await deps.cache.replace([redirectRecord(link)]);
}
