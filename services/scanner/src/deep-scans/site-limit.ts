import { rest, within } from '@waypost/resilience';
import { NotFollowed } from './follow-link.ts';

export class SiteBusy extends NotFollowed {
  readonly site: string;

  constructor(site: string) {
    super('a site on the way is busy');
    this.site = site;
  }
}

/** One request at a time to each site, with a pause after it, so that nobody attacks a site through us. */
export class SiteLimit {
  readonly #last = new Map<string, Promise<void>>();
  readonly #pauseMs: number;
  readonly #patienceMs: number;
  readonly #signal: AbortSignal;

  constructor(pauseMs: number, patienceMs: number, signal: AbortSignal) {
    this.#pauseMs = pauseMs;
    this.#patienceMs = patienceMs;
    this.#signal = signal;
  }

  /** Returns the sites that have a request, a pause or a waiting request. */
  sites(): string[] {
    return [...this.#last.keys()];
  }

  /** Throws `SiteBusy` if the wait is too long. */
  async run<T>(site: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(site) ?? Promise.resolve();
    const { promise: done, resolve: end } = Promise.withResolvers<void>();
    this.#last.set(site, done);
    const leave = () => {
      if (this.#last.get(site) === done) this.#last.delete(site);
      end();
    };
    const isItsTurn = before.then(() => true);
    if (!(await within(isItsTurn, this.#patienceMs, false))) {
      void before.then(leave);
      throw new SiteBusy(site);
    }
    try {
      this.#signal.throwIfAborted();
      return await work();
    } finally {
      void rest(this.#pauseMs, this.#signal).then(leave);
    }
  }
}
