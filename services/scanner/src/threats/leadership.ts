/** Of several scanners that share threat data, one polls the feeds, re-scans links and clears them: the leader. */
import { type Background, background } from '@waypost/resilience';
import { type Logger, warnOfRetries } from '@waypost/telemetry';
import type { SharedThreatData } from './shared-threat-data.port.ts';
import type { ThreatStore } from './threat-store.ts';

export interface LeadersWork {
  start(spreadMs?: number): void;
  wake(): void;
  stop(): Promise<unknown>;
}

export interface LeadershipDeps {
  readonly store: Pick<ThreatStore, 'follow' | 'lead'>;
  readonly shared: SharedThreatData | undefined;
  readonly work: () => LeadersWork;
  readonly followEveryMs: number;
  readonly logger: Logger;
}

/** A new leader polls overdue feeds soon, because no other scanner polls them. */
const LEADER_SPREAD_MS = 1_000;

export class Leadership {
  readonly #deps: LeadershipDeps;
  readonly #following: Background | undefined;
  #leading: LeadersWork | undefined;
  #behind: string | undefined;

  constructor(deps: LeadershipDeps) {
    this.#deps = deps;
    this.#following = deps.shared && this.#follower(deps.shared);
  }

  /** Why this scanner cannot follow the others. Their imports decide no verdicts here. */
  get behind(): string | undefined {
    return this.#behind;
  }

  start(): void {
    if (this.#following === undefined) {
      this.#leading = this.#deps.work();
      this.#leading.start();
    } else this.#following.start();
  }

  wake(): void {
    this.#leading?.wake();
  }

  async stop(): Promise<void> {
    await this.#following?.stop();
    await this.#leading?.stop();
  }

  #follower(shared: SharedThreatData): Background {
    const { store, logger, followEveryMs } = this.#deps;
    const resign = async () => {
      await this.#lead(false);
      await shared.resign();
    };
    const work = background({
      onFailure: warnOfRetries(logger, 'following the other scanners'),
      work: async () => {
        try {
          // A scanner that cannot follow, because its disk is full, must not lead.
          await store.follow();
          this.#behind = undefined;
          await this.#lead(await shared.leads());
          // The other scanner's import may require a re-scan of links.
          this.wake();
        } catch (error) {
          this.#behind = error instanceof Error ? error.message : String(error);
          await resign();
          throw error;
        }
        return followEveryMs;
      },
    });
    return { ...work, stop: () => work.stop().finally(resign) };
  }

  async #lead(leads: boolean): Promise<void> {
    if (leads === (this.#leading !== undefined)) return;
    this.#deps.logger.info(leads ? 'this scanner is the leader now' : 'this scanner is no longer the leader');
    if (leads) {
      await this.#deps.store.lead();
      this.#leading = this.#deps.work();
      this.#leading.start(LEADER_SPREAD_MS);
    } else {
      await this.#leading?.stop();
      this.#leading = undefined;
    }
  }
}
