import { rest } from '@waypost/resilience';

/** One request at a time to each site, with a pause between them, so that nobody is attacked through us. */
export class SiteTurns {
  readonly #last = new Map<string, Promise<void>>();
  readonly #pauseMs: number;
  readonly #signal: AbortSignal;

  constructor(pauseMs: number, signal: AbortSignal) {
    this.#pauseMs = pauseMs;
    this.#signal = signal;
  }

  /** Those that have had a request a moment ago, or wait for one. */
  sites(): string[] {
    return [...this.#last.keys()];
  }

  async run<T>(site: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(site);
    const { promise: done, resolve: end } = Promise.withResolvers<void>();
    this.#last.set(site, done);
    await before;
    try {
      this.#signal.throwIfAborted();
      return await work();
    } finally {
      void rest(this.#pauseMs, this.#signal).then(() => {
        if (this.#last.get(site) === done) this.#last.delete(site);
        end();
      });
    }
  }
}
