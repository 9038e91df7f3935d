import { csv, shownUrl } from '@waypost/links-file';
import { type BulkEvent, waypost } from '../api.ts';
import type { Checked } from './check-links.ts';

export interface Outcome {
  readonly short?: string;
  readonly isFlagged?: boolean;
  readonly problems?: readonly string[];
}

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
    return outcomesOf(this.#state.events).outcomes.size === this.list.links.length;
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
export function outcomesOf(events: readonly BulkEvent[]) {
  const outcomes = new Map<number, Outcome>();
  const sent = new Map<string, number>();
  for (const event of events) {
    if (event.type === 'waiting') continue;
    if (event.type === 'sending') {
      sent.set(event.key, event.rows.length);
      continue;
    }
    sent.delete(event.key);
    if (event.type === 'created') {
      for (const { row, link, short_url: short } of event.links)
        outcomes.set(row, { short, isFlagged: link.status === 'flagged' });
    }
    if (event.type === 'refused') for (const { row, problems } of event.rows) outcomes.set(row, { problems });
  }
  return {
    outcomes,
    created: [...outcomes.values()].filter(({ short }) => short !== undefined).length,
    unanswered: [...sent.values()].reduce((sum, rows) => sum + rows, 0),
  };
}

/** The columns are the same as in the results of the command line. */
export const csvOf = ({ links, places }: Checked, outcomes: ReadonlyMap<number, Outcome>) =>
  csv([
    ['place', 'status', 'short_url', 'problem', 'destination_url'],
    ...links.map((link, row) => {
      const { short, isFlagged, problems } = outcomes.get(row) ?? {};
      const status =
        problems !== undefined ? 'refused' : short === undefined ? 'left' : isFlagged ? 'flagged' : 'active';
      return [places[row] ?? '', status, short ?? '', problems?.join('; ') ?? '', shownUrl(link)];
    }),
  ]);
