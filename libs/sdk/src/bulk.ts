/** Creates thousands of links in batches within the quota. With the stored events, a later run can continue. */
import type { Created, CreatedMany, Link, NewLink } from './api-types.ts';
import { type Quota, WaypostError } from './errors.ts';

/** A row is the index of a link in the list, from 0. */
export type BulkEvent =
  /** The batch is sent when the caller requests the next event. */
  | { readonly type: 'sending'; readonly key: string; readonly rows: readonly number[]; readonly at: string }
  | {
      readonly type: 'created';
      readonly key: string;
      readonly links: readonly (Pick<Created, 'link' | 'short_url'> & { readonly row: number })[];
    }
  /** These rows are invalid, so no link of their batch was created. The other rows are sent again. */
  | {
      readonly type: 'refused';
      readonly key: string;
      readonly rows: readonly { readonly row: number; readonly problems: readonly string[] }[];
    }
  /** The batch is larger than the remaining quota, so no link of it was created. Its rows are sent again. */
  | { readonly type: 'postponed'; readonly key: string }
  /** The quota is used up. When the caller requests the next event, the run waits and then continues. */
  | { readonly type: 'waiting'; readonly until: string }
  /**
   * An earlier run sent these rows and got no answer, and the server no longer remembers the key. The caller must look
   * up whether the links were created.
   */
  | { readonly type: 'lost'; readonly key: string; readonly rows: readonly number[] };

/** What became of one row. */
export interface BulkOutcome {
  /** The status of the new link, or why there is none. After `lost`, look up whether the link was created. */
  readonly status: Link['status'] | 'refused' | 'lost';
  /** Empty if no link is known. */
  readonly slug: string;
  readonly short_url: string;
  readonly problems: readonly string[];
}

/** Returns the rows that an event completes. A row without an outcome remains to be created. */
export function outcomesOf(event: BulkEvent): readonly (readonly [row: number, outcome: BulkOutcome])[] {
  const without = { slug: '', short_url: '' } as const;
  if (event.type === 'created') {
    return event.links.map(({ row, link: { status, slug }, short_url }) => [
      row,
      { status, slug, short_url, problems: [] },
    ]);
  }
  if (event.type === 'refused')
    return event.rows.map(({ row, problems }) => [row, { ...without, status: 'refused', problems }]);
  const problems = ['The link may or may not have been created. Check whether it exists.'];
  return event.type === 'lost' ? event.rows.map((row) => [row, { ...without, status: 'lost', problems }]) : [];
}

/** Returns the rows that were sent, and of which no answer came. */
export const unansweredRows = (events: Iterable<BulkEvent>): readonly number[] =>
  replay(0, events).unanswered.flatMap(({ rows }) => rows);

export interface BulkOptions {
  /** The events of earlier runs over the same rows, in order. Completed rows are not sent again. */
  readonly earlier?: Iterable<BulkEvent> | undefined;
  /** The number of rows per batch. The default is 500, the maximum of the API. */
  readonly batchSize?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface BulkApi {
  createMany(links: readonly NewLink[], options: { idempotencyKey: string }): Promise<CreatedMany>;
  quota(): Promise<Quota>;
  newKey(): Promise<string>;
  sleep(ms: number): Promise<void>;
}

/** The server remembers a key for 24 hours. This is less, because clocks differ. */
const KEY_KEPT_MS = 23 * 3_600_000;
/** A used-up quota is checked again after this time, because an operator may have raised it. */
const LOOK_EVERY_MS = 60_000;

export async function* bulk(
  links: readonly NewLink[],
  api: BulkApi,
  { earlier = [], batchSize = 500 }: BulkOptions,
): AsyncGenerator<BulkEvent, void, undefined> {
  const { pending, unanswered } = replay(links.length, earlier);
  let quota: Quota | undefined;

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
        pending.push(...rows.filter((row) => !bad.includes(row)));
        return { type: 'refused', key, rows: refused };
      }
      const isLater = quota !== undefined && quota.limit > 0 && quota.remaining < rows.length;
      if (!isLater || ![400, 429].includes(error.status)) throw error;
      pending.push(...rows);
      return { type: 'postponed', key };
    } finally {
      pending.sort((a, b) => a - b);
    }
  }

  for (const { key, rows, at } of unanswered) {
    yield Date.now() - Date.parse(at) < KEY_KEPT_MS ? await send(key, rows) : { type: 'lost', key, rows };
  }
  while (pending.length > 0) {
    quota ??= await api.quota();
    // With a limit of 0 no time helps: the server's answer to the rows says so.
    if (quota.remaining === 0 && quota.limit > 0) {
      yield { type: 'waiting', until: quota.resetAt.toISOString() };
      await api.sleep(Math.min(LOOK_EVERY_MS, Math.max(0, quota.resetAt.getTime() - Date.now())));
      quota = undefined;
      continue;
    }
    const rows = pending.splice(0, Math.min(batchSize, quota.remaining || batchSize));
    const key = await api.newKey();
    yield { type: 'sending', key, rows, at: new Date().toISOString() };
    quota = undefined;
    yield await send(key, rows);
  }
}

type Sending = Extract<BulkEvent, { type: 'sending' }>;

function replay(count: number, events: Iterable<BulkEvent>): { pending: number[]; unanswered: readonly Sending[] } {
  const pending = new Set(Array.from({ length: count }, (_, row) => row));
  const unanswered = new Map<string, Sending>();
  for (const event of events) {
    if (event.type === 'sending') {
      unanswered.set(event.key, event);
      for (const row of event.rows) pending.delete(row);
    } else if (event.type !== 'waiting') {
      const rows = unanswered.get(event.key)?.rows ?? [];
      unanswered.delete(event.key);
      const bad = event.type === 'refused' ? event.rows.map(({ row }) => row) : [];
      if (event.type === 'refused' || event.type === 'postponed') {
        for (const row of rows) if (!bad.includes(row)) pending.add(row);
      }
    }
  }
  return { pending: [...pending].sort((a, b) => a - b), unanswered: [...unanswered.values()] };
}

/**
 * Returns the rows that the error names, with their problems. Empty if the error is about something else. If a problem
 * names another row, `links[3]`, the number is that in `links`, not in the batch.
 */
export function refusedRows({ status, details }: WaypostError, rows: readonly number[], links: readonly NewLink[]) {
  const problems = new Map<number, string[]>();
  const add = (row: number | undefined, problem: string) => {
    if (row !== undefined) problems.set(row, [...(problems.get(row) ?? []), problem]);
  };
  const inList = (text: string) => text.replace(/links\[(\d+)\]/g, (_as, i) => `links[${rows[i]}]`);
  for (const [field, problem] of Object.entries(details)) {
    const [, index, name] = /^links\[(\d+)\]\.?(.*)$/.exec(field) ?? [];
    if (status === 400 && index !== undefined) add(rows[Number(index)], inList(`${name} ${problem}`.trim()));
  }
  const taken = Array.isArray(details.taken_slugs) ? details.taken_slugs : [];
  for (const row of rows) {
    if (status === 409 && taken.includes(links[row]?.custom_slug)) add(row, 'custom_slug is taken');
  }
  return [...problems].map(([row, why]) => ({ row, problems: why }));
}
