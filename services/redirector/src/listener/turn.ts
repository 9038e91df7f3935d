/**
 * The redirects of one turn of the event loop share one write of the click log. No redirect leaves before its click is
 * written, and one write for many clicks is cheap (libs/domain/decisions/0004-click-log.md).
 */
import type { ServerResponse } from 'node:http';
import { errorFields, type Logger } from '@waypost/telemetry';
import type { ClickLog } from '../clicks/log/click-log.ts';
import type { VisitorCounts } from './visitor-counts.ts';

export interface TurnDeps {
  readonly clickLog: Pick<ClickLog, 'add' | 'commit'>;
  readonly counts: VisitorCounts;
  readonly logger: Logger;
  readonly send: (response: ServerResponse, location: string) => void;
  readonly onEnd: () => void;
}

export class Turn {
  readonly #deps: TurnDeps;
  /** The redirects that wait for the write. `#locations` has their destinations. */
  readonly #waiting: ServerResponse[] = [];
  readonly #locations: string[] = [];
  /** The start times of the requests whose links were not in memory. All other requests began in this turn. */
  readonly #lookedUpSince: number[] = [];
  #isOpen = false;
  #startedAt = 0;

  constructor(deps: TurnDeps) {
    this.#deps = deps;
  }

  /** Milliseconds of a monotonic clock. Read once per turn, because a reading for each request is too slow. */
  get startedAt(): number {
    return this.#startedAt;
  }

  /** Called with each request and each redirect. The first call in a turn schedules the end of the turn. */
  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#startedAt = performance.now();
    setImmediate(() => {
      this.#isOpen = false;
      this.#deps.onEnd();
      this.flush();
    });
  }

  /**
   * Sends the redirect once its click is written. `since` is the time of the request, for a link that was not in
   * memory.
   */
  add(click: string, response: ServerResponse, location: string, since?: number): void {
    this.open();
    this.#deps.clickLog.add(click);
    this.#waiting.push(response);
    this.#locations.push(location);
    if (since !== undefined) this.#lookedUpSince.push(since);
  }

  flush(): void {
    const redirects = this.#waiting.length;
    if (redirects === 0) return;
    this.#deps.clickLog.commit();
    for (let i = 0; i < redirects; i += 1) this.#send(this.#waiting[i]!, this.#locations[i]!);
    this.#count(redirects);
    this.#waiting.length = 0;
    this.#locations.length = 0;
  }

  /** A failure of one answer must not stop the other answers of the turn. */
  #send(response: ServerResponse, location: string): void {
    try {
      this.#deps.send(response, location);
    } catch (error) {
      this.#deps.logger.error('a redirect could not be sent', errorFields(error));
      response.destroy();
    }
  }

  /** Counts once per turn, because counting each redirect separately is slower. */
  #count(redirects: number): void {
    const { counts } = this.#deps;
    const endedAt = performance.now();
    const fromMemory = redirects - this.#lookedUpSince.length;
    counts.answered('redirect', redirects);
    counts.lookup('memory', fromMemory);
    counts.took(endedAt - this.#startedAt, fromMemory);
    for (const since of this.#lookedUpSince) counts.took(endedAt - since);
    this.#lookedUpSince.length = 0;
  }
}
