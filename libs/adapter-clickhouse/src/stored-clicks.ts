import type { ClickHouseClient } from '@clickhouse/client';
import type { Device } from '@waypost/domain';
import type { ClickPlace, StoredClicks } from '@waypost/ports';
import { STORE_WITHIN_SECONDS } from './click-sink.ts';
import { CLICKS_TABLE, identifier } from './schema.ts';
import { SELECT_SETTINGS, select } from './select.ts';

/**
 * A row has the time of its insert, but can be read only when the insert ends. So clicks are read only when no insert
 * of their time can still be running: its time limit, and as long again for the last step, which nothing interrupts.
 */
export const SETTLE_SECONDS = 2 * STORE_WITHIN_SECONDS;

/** A read uses one thread, so that figures and visitors have the others. */
const SETTINGS = `SETTINGS max_threads = 1, ${SELECT_SETTINGS}`;

/** The last time that ClickHouse's UInt32 can hold: no row is later. */
const LAST_TIME = 0xffff_ffff;

/** Each method takes all times from the clock of the store, because it also wrote the times of the rows. */
export function clickhouseStoredClicks(
  client: ClickHouseClient,
  database: string,
  settleSeconds: number = SETTLE_SECONDS,
): StoredClicks {
  const table = `${identifier(database)}.${CLICKS_TABLE}`;
  const settled = `ingested_at <= now() - ${Math.trunc(settleSeconds)}`;

  const query = <Row>(sql: string, query_params: Record<string, unknown>): Promise<readonly Row[]> =>
    select(client, {
      query: `${sql}\n${SETTINGS}`,
      query_params,
      failure: 'The click store is unavailable. Try again later.',
    });

  return {
    async accountsSince(since) {
      const [row] = await query<{ accounts: readonly string[]; until: number }>(
        `SELECT groupUniqArray(account_id) AS accounts, toUnixTimestamp(now() - ${Math.trunc(settleSeconds)}) AS until
         FROM ${table} WHERE ingested_at > toDateTime({since:UInt32}, 'UTC') AND ${settled}`,
        { since: since ?? LAST_TIME },
      );
      return row!;
    },
    async next(account, from, most) {
      const [row] = await query<{ rows: string | number; last: readonly [at: number, id: string] }>(
        `SELECT count() AS rows, max((toUnixTimestamp(ingested_at), event_id)) AS last
         FROM (SELECT ingested_at, event_id FROM ${table} WHERE ${AFTER} AND ${settled}
               ORDER BY ingested_at, event_id LIMIT {most:UInt32})`,
        { account, ...parameters(from), most },
      );
      const rows = Number(row!.rows);
      return rows === 0 ? undefined : { to: { at: row!.last[0], id: row!.last[1] }, full: rows === most };
    },
    async hasMore(account, from, than) {
      const [row] = await query<{ rows: string | number }>(
        `SELECT count() AS rows FROM (SELECT 1 FROM ${table} WHERE ${AFTER} AND ${settled} LIMIT {most:UInt32})`,
        { account, ...parameters(from), most: than + 1 },
      );
      return Number(row!.rows) > than;
    },
    async read(account, range) {
      const rows = await query<ClickRow>(readQuery(table), {
        account,
        ...parameters(range),
        toAt: range.to.at,
        toId: range.to.id,
      });
      return rows.map(({ click: [country, device, browser, referrer, isBot], id, slug, at }) => ({
        id,
        slug,
        at: Number(at),
        country,
        device,
        browser,
        referrer,
        isBot,
      }));
    },
  };
}

interface ClickRow {
  readonly id: string;
  readonly slug: string;
  readonly at: string | number;
  readonly click: readonly [country: string, device: Device, browser: string, referrer: string, isBot: boolean];
}

/** The first condition is implied by the second. It is there for the index of `ingested_at`. */
const AFTER = `account_id = {account:UUID} AND ingested_at >= toDateTime({at:UInt32}, 'UTC')
  AND (ingested_at, event_id) > (toDateTime({at:UInt32}, 'UTC'), {id:UUID})
  AND clicked_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')`;

const parameters = ({ after, since }: { readonly after: ClickPlace; readonly since: number }) => ({
  at: after.at,
  id: after.id,
  since,
});

/**
 * A batch that was stored twice has copies with a later time. The table keeps the earliest, in a merge that may come
 * later. So this reads all copies of the clicks in the range, by their sorting key, and leaves out a click with an
 * earlier copy. FINAL would read all clicks of the account.
 */
const readQuery = (table: string) => `
SELECT toString(event_id) AS id, slug, toUnixTimestamp64Milli(clicked_at) AS at,
  argMin((country, device, browser, referrer, is_bot), ingested_at) AS click
FROM ${table}
WHERE account_id = {account:UUID} AND (slug, toDate(clicked_at), clicked_at, event_id) IN (
  SELECT slug, toDate(clicked_at), clicked_at, event_id FROM ${table}
  WHERE ${AFTER} AND ingested_at <= toDateTime({toAt:UInt32}, 'UTC')
    AND (ingested_at, event_id) <= (toDateTime({toAt:UInt32}, 'UTC'), {toId:UUID}))
GROUP BY slug, clicked_at, event_id
HAVING (min(ingested_at), event_id) > (toDateTime({at:UInt32}, 'UTC'), {id:UUID})
ORDER BY min(ingested_at), event_id`;
