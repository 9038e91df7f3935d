import { WEBHOOK_LIMITS } from '@waypost/domain';
import type { StoredClicks } from '@waypost/ports';
import { type Background, background, ifNoteworthy } from '@waypost/resilience';
import type { Logger } from '@waypost/telemetry';
import { noteSwitchedOff } from './deliver.ts';
import type { DueClicks, WebhookQueue } from './webhooks.port.ts';

interface Deps {
  readonly webhookQueue: WebhookQueue;
  readonly storedClicks: Pick<StoredClicks, 'accountsSince' | 'next' | 'hasMore'>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly now: () => Date;
  readonly onLateError: (error: unknown) => void;
  readonly onMessage: () => void;
  /** Only tests set this. */
  readonly lookEveryMs?: number;
}

const LOOK_MS = 2_000;
const BACK_OFF = { first: LOOK_MS, most: 30_000 };
/** After a failed read, the webhook waits for this time and the others continue. */
const LEASE_MS = 30_000;
/** After a longer pause it is cheaper to look at each webhook than at all clicks since. */
const LOOK_BACK_SECONDS = 600;

/**
 * Makes messages of the clicks in the click store. Clicks wait there and nowhere else. One query tells which accounts
 * have new ones, so webhooks without clicks cost nothing. The job reads for one webhook at a time, and each account has
 * its pace, so neither figures nor other accounts wait for it.
 */
export function makeClickMessages(deps: Deps): Background {
  const { webhookQueue, storedClicks, now, lookEveryMs = LOOK_MS } = deps;
  const onFailure = ifNoteworthy(deps.onLateError);
  let since: number | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let failures = 0;

  const look = async () => {
    if (!(await webhookQueue.wantsClicks())) {
      since = undefined;
      return;
    }
    const isFirst = since === undefined || now().getTime() / 1_000 - since > LOOK_BACK_SECONDS;
    const { accounts, until } = await storedClicks.accountsSince(isFirst ? undefined : since);
    if (isFirst || accounts.length > 0) await webhookQueue.noteClicks(isFirst ? undefined : accounts, now());
    since = until;
  };

  return background({
    backOff: BACK_OFF,
    async work() {
      if (performance.now() - lookedAt >= lookEveryMs) {
        lookedAt = performance.now();
        await look();
      }
      const at = now();
      const leaseUntil = new Date(at.getTime() + LEASE_MS);
      const due = await webhookQueue.claimClicks(at, leaseUntil);
      if (due === undefined) return Math.min(lookEveryMs, WEBHOOK_LIMITS.clicksEveryMs);
      try {
        await makeMessage(deps, due, leaseUntil);
        failures = 0;
      } catch (error) {
        failures += 1;
        onFailure(error, failures);
      }
      return 0;
    },
    onFailure,
  });
}

async function makeMessage({ webhookQueue, storedClicks, logger, now, onMessage }: Deps, due: DueClicks, until: Date) {
  const { clicksPerMessage, clicksEveryMs, clicksBehind } = WEBHOOK_LIMITS;
  const page = await storedClicks.next(due.accountId, due, clicksPerMessage);
  if (page === undefined) return webhookQueue.noClicks(due, until);
  if (page.full && (await storedClicks.hasMore(due.accountId, due, clicksBehind))) {
    const off = await webhookQueue.tooFarBehind(due, now());
    if (off !== undefined) noteSwitchedOff(logger, off);
    return;
  }
  const at = now();
  await webhookQueue.queueClicks(due, page.to, at, new Date(at.getTime() + due.sharers * clicksEveryMs));
  onMessage();
}
