/** Links that exist: events file them, and new threat data or the answer of a provider has them judged again. */
import type { UrlPolicy } from '@waypost/domain';
import type { Bus } from '@waypost/ports';
import { background } from '@waypost/resilience';
import { type Logger, warnOfRetries } from '@waypost/telemetry';
import type { ThreatStore } from '../threats/threat-store.ts';
import { recheckClickedLinks } from './clicked-links.ts';
import { delistDue } from './delist-links.ts';
import { fileLinks } from './file-links.ts';
import type { ThreatProvider } from './providers/provider.ts';
import { recheckLinks } from './recheck-links.ts';
import type { RecheckQueue } from './recheck-queue.port.ts';
import { rescanLinks } from './rescan-links.ts';
import { rescanner } from './rescanner.ts';
import type { ScannedLinks } from './scanned-links.port.ts';

export interface RecheckDeps {
  readonly policy: UrlPolicy;
  readonly links: ScannedLinks;
  readonly rechecks: RecheckQueue;
  readonly bus: Pick<Bus, 'publishEncoded' | 'subscribe'>;
  /** Providers judge new links that this scanner does not flag. */
  readonly providers?: readonly ThreatProvider[];
  readonly logger: Logger;
  readonly now: () => Date;
}

interface Deps extends RecheckDeps {
  readonly store: ThreatStore;
  readonly pollEveryMs: number;
}

export type Rechecks = ReturnType<typeof linkRechecks>;

const REMOVALS_EVERY_MS = 60_000;

export function linkRechecks(deps: Deps) {
  const { store, logger, providers = [], pollEveryMs } = deps;
  const rechecking = background({
    onFailure: warnOfRetries(logger, 'rechecking links'),
    work: async (signal) => ((await recheckLinks({ ...deps, providers }, signal)) > 0 ? 0 : pollEveryMs),
  });
  const onRechecksAdded = () => rechecking.wake();
  const running: { stop(): Promise<void> }[] = [rechecking];
  return {
    async start(): Promise<void> {
      running.push(await fileLinks({ ...deps, rechecksNewLinks: providers.length > 0, onRechecksAdded }));
      const clicked = await recheckClickedLinks({ ...deps, onAdded: onRechecksAdded });
      running.push(clicked);
      rechecking.start();
      clicked.start();
    },
    stop: () => Promise.all(running.map((each) => each.stop())),
    /** A job of the leader, as is `delisting`. */
    rescans: () => rescanner({ store, logger, rescan: (owed, signal, note) => rescanLinks(deps, owed, signal, note) }),
    delisting: () =>
      background({
        onFailure: warnOfRetries(logger, 'clearing links that are no longer listed'),
        work: async (signal) => ((await delistDue(deps, signal)) ? 0 : REMOVALS_EVERY_MS),
      }),
  };
}
