import { outcomesOf, unansweredRows } from '@waypost/sdk/bulk';
import { type BulkEvent, waypost } from '../api.ts';
import type { Checked } from './check-links.ts';

interface State {
  readonly events: readonly BulkEvent[];
  readonly isStopping: boolean;
}

/**
 * Creates links in batches, each with its `Idempotency-Key`. After an interruption the next run repeats the unanswered
 * batch with the same key, so each link is created once.
 */
export class Job {
  readonly text: string;
  readonly list: Checked;
  #state: State = { events: [], isStopping: false };
  #run: Promise<void> = Promise.resolve();
  readonly #listeners = new Set<() => void>();

  constructor(text: string, list: Checked) {
    this.text = text;
    this.list = list;
  }

  readonly state = (): State => this.#state;

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  get isDone(): boolean {
    return progressOf(this.#state.events).outcomes.size === this.list.links.length;
  }

  stop(): void {
    this.#change({ isStopping: true });
  }

  /** Resolves at the end of the list, after `stop`, or when the quota is used up. */
  async run(): Promise<void> {
    // A user may leave the screen and return before the last answer arrives.
    await this.#run.catch(() => undefined);
    this.#change({ isStopping: false });
    this.#run = this.#sendAll();
    await this.#run;
  }

  async #sendAll(): Promise<void> {
    for await (const event of waypost.bulk(this.list.links, { earlier: this.#state.events, batchSize: 100 })) {
      this.#change({ events: [...this.#state.events, event] });
      if (this.#state.isStopping || event.type === 'waiting') return;
    }
  }

  #change(change: Partial<State>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** The keys of `outcomes` are row numbers, from 0. `unanswered` counts the rows that wait for an answer. */
export function progressOf(events: readonly BulkEvent[]) {
  const outcomes = new Map(events.flatMap(outcomesOf));
  return {
    outcomes,
    created: [...outcomes.values()].filter(({ slug }) => slug !== '').length,
    unanswered: unansweredRows(events).length,
  };
}
