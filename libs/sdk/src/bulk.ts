/** Thousands of links: batches within the quota, in an order that can be written down and gone on with. */
import type { Created, CreatedMany, NewLink } from './api-types.ts';
import { type Quota, WaypostError } from './errors.ts';

/** What happens to rows, which are named by their place in the list, from 0. */
export type BulkEvent =
  /** A batch goes out when the next event is asked for. */
  | { readonly type: 'sending'; readonly key: string; readonly rows: readonly number[]; readonly at: string }
  | {
      readonly type: 'created';
      readonly key: string;
      readonly links: readonly (Pick<Created, 'link' | 'short_url'> & { readonly row: number })[];
    }
  /** These rows can never be made; nothing of their batch was, and its other rows go out again. */
  | {
      readonly type: 'refused';
      readonly key: string;
      readonly rows: readonly { readonly row: number; readonly problems: readonly string[] }[];
    }
  /** The quota has less left than the batch needs. Nothing of it was made, and its rows go out again. */
  | { readonly type: 'postponed'; readonly key: string }
  /** The quota is used up. It goes on by itself when the next event is asked for. */
  | { readonly type: 'waiting'; readonly until: string }
  /**
   * An earlier run sent them, its answer was lost, and the server has forgotten the key by now: whether they were made is
   * to be looked up.
   */
  | { readonly type: 'lost'; readonly key: string; readonly rows: readonly number[] };

export interface BulkOptions {
  /** The events of earlier runs over the same rows, in their order: what is done is not done again. */
  readonly earlier?: Iterable<BulkEvent> | undefined;
  /** Rows in a batch; 500, the most that the API takes, unless it is given. */
  readonly batchSize?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What it needs of the client. */
export interface BulkApi {
  createMany(links: readonly NewLink[], options: { idempotencyKey: string }): Promise<CreatedMany>;
  quota(): Promise<Quota>;
  newKey(): Promise<string>;
  sleep(ms: number): Promise<void>;
}

/** The server keeps a key for 24 hours; less, for clocks that differ. */
const KEY_KEPT_MS = 23 * 3_600_000;
/** How often a quota that is used up is asked for again: an operator may raise it. */
const LOOK_EVERY_MS = 60_000;

export async function* bulk(
  links: readonly NewLink[],
  api: BulkApi,
  { earlier = [], batchSize = 500 }: BulkOptions,
): AsyncGenerator<BulkEvent, void, undefined> {
  const { left, unanswered } = replay(links.length, earlier);
  let quota: Quota | undefined;

  /** Sends a batch, and returns what came of it. */
  async function send(key: string, rows: readonly number[]): Promise<BulkEvent> {
    try {
      const answer = await api.createMany(
        rows.map((row) => links[row]!),
        { idempotencyKey: key },
      );
      return { type: 'created', key, links: answer.links.map((each, i) => ({ row: rows[i]!, ...each })) };
    } catch (error) {
      if (!(error instanceof WaypostError)) throw error;
      quota = error.quota;
      const refused = refusedRows(error, rows, links);
      if (refused.length > 0) {
        const bad = refused.map(({ row }) => row);
        left.push(...rows.filter((row) => !bad.includes(row)));
        return { type: 'refused', key, rows: refused };
      }
      if (quota === undefined || quota.remaining >= rows.length || ![400, 429].includes(error.status)) throw error;
      left.push(...rows);
      return { type: 'postponed', key };
    } finally {
      left.sort((a, b) => a - b);
    }
  }

  for (const { key, rows, at } of unanswered) {
    yield Date.now() - Date.parse(at) < KEY_KEPT_MS ? await send(key, rows) : { type: 'lost', key, rows };
  }
  while (left.length > 0) {
    quota ??= await api.quota();
    if (quota.remaining === 0) {
      yield { type: 'waiting', until: quota.resetAt.toISOString() };
      await api.sleep(Math.min(LOOK_EVERY_MS, Math.max(0, quota.resetAt.getTime() - Date.now())));
      quota = undefined;
      continue;
    }
    const rows = left.splice(0, Math.min(batchSize, quota.remaining));
    const key = await api.newKey();
    yield { type: 'sending', key, rows, at: new Date().toISOString() };
    quota = undefined;
    yield await send(key, rows);
  }
}

type Sending = Extract<BulkEvent, { type: 'sending' }>;

/** The rows that are neither done nor on their way, and the batches that have no answer. */
function replay(count: number, events: Iterable<BulkEvent>): { left: number[]; unanswered: readonly Sending[] } {
  const left = new Set(Array.from({ length: count }, (_, row) => row));
  const unanswered = new Map<string, Sending>();
  for (const event of events) {
    if (event.type === 'sending') {
      unanswered.set(event.key, event);
      for (const row of event.rows) left.delete(row);
    } else if (event.type !== 'waiting') {
      const rows = unanswered.get(event.key)?.rows ?? [];
      unanswered.delete(event.key);
      const bad = event.type === 'refused' ? event.rows.map(({ row }) => row) : [];
      if (event.type === 'refused' || event.type === 'postponed') {
        for (const row of rows) if (!bad.includes(row)) left.add(row);
      }
    }
  }
  return { left: [...left].sort((a, b) => a - b), unanswered: [...unanswered.values()] };
}

/** The rows that an error names, each with its problems; none if it is about something else. */
export function refusedRows({ status, details }: WaypostError, rows: readonly number[], links: readonly NewLink[]) {
  const problems = new Map<number, string[]>();
  const add = (row: number | undefined, problem: string) => {
    if (row !== undefined) problems.set(row, [...(problems.get(row) ?? []), problem]);
  };
  for (const [field, problem] of Object.entries(details)) {
    const [, index, name] = /^links\[(\d+)\]\.?(.*)$/.exec(field) ?? [];
    if (status === 400 && index !== undefined) add(rows[Number(index)], `${name} ${problem}`.trim());
  }
  const taken = Array.isArray(details.taken_slugs) ? details.taken_slugs : [];
  for (const row of rows) {
    if (status === 409 && taken.includes(links[row]?.custom_slug)) add(row, 'custom_slug is taken');
  }
  return [...problems].map(([row, why]) => ({ row, problems: why }));
}
