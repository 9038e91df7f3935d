import type { ClickHouseClient } from '@clickhouse/client';
import { type ClickFigures, TOP_N, unavailable } from '@waypost/domain';
import type { ClickStats } from '@waypost/ports';
import { inClientSpan } from '@waypost/telemetry';
import { CLICKS_TABLE, identifier } from './schema.ts';

/** ClickHouse must stop a slow query before the API's own time limit of 4.5 s. */
const MAX_EXECUTION_SECONDS = 4;
const MAX_THREADS = 2;

/**
 * Reads all figures of a link in one query. FINAL counts copies of a click once. Rejects with `unavailable` whenever
 * the store does not answer. The log gets the reason from `cause`.
 */
export function clickhouseClickStats(client: ClickHouseClient, database: string): ClickStats {
  const table = `${identifier(database)}.${CLICKS_TABLE}`;
  const queries = {
    include: figuresQuery(table, ''),
    exclude: figuresQuery(table, 'AND NOT is_bot'),
  };
  return {
    async figures(slug, { from, to }, bots, signal) {
      try {
        const attributes = { 'db.system.name': 'clickhouse', 'db.operation.name': 'SELECT' };
        const [row] = await inClientSpan('SELECT', attributes, async () => {
          const result = await client.query({
            query: queries[bots],
            query_params: { slug, from, to },
            format: 'JSONEachRow',
            ...(signal && { abort_signal: signal }),
          });
          return result.json<FiguresRow>();
        });
        return present(row!);
      } catch (error) {
        throw unavailable('click statistics are not available now', error);
      }
    },
  };
}

/**
 * Each dimension is one grouping set. ClickHouse identifies a set by a mask with a bit for each dimension that is not
 * in it.
 */
const DIMENSIONS = ['day', 'referrer', 'country', 'device', 'browser', 'visitor_hash'] as const;
const isSet = (dimension: (typeof DIMENSIONS)[number]) =>
  `dimension = ${63 & ~(1 << (DIMENSIONS.length - 1 - DIMENSIONS.indexOf(dimension)))}`;

/**
 * One pass over the clicks groups them by each dimension separately. On a link with 150,000 clicks this takes 40 ms of
 * CPU. `sumMap` and `uniqExact` would take 50 ms there, and on a small link 9 ms instead of 13. Names keep their stored
 * form until only ten remain, since a conversion costs more.
 *
 * After a rotation of the secret a visitor has two hashes, and later clicks have both. Clicks with the same hash count
 * under its previous hash if any of them has one.
 *
 * The day bounds use the sorting key. The time bounds select months and exclude times so far ahead that their `Date`
 * overflows. Settings are in the text because chDB's connection would keep them for later statements.
 */
const figuresQuery = (table: string, condition: string) => `
SELECT
    sumIf(clicks, ${isSet('day')}) AS total_clicks,
    uniqExactIf(if(previous = 0, visitor_hash, previous), ${isSet('visitor_hash')}) AS unique_visitors,
    sumIf(bots, ${isSet('day')}) AS bot_clicks,
    groupArrayIf((clicks, day), ${isSet('day')}) AS days,
    ${top('referrer')} AS referrers,
    ${top('country', "country != 'ZZ'")} AS countries,
    arraySort(groupArrayIf((-toInt64(clicks), CAST(device, 'String')), ${isSet('device')})) AS devices,
    ${top('browser')} AS browsers
FROM
(
    SELECT
        grouping(${DIMENSIONS.join(', ')}) AS dimension,
        toDate(clicked_at) AS day, referrer, country, device, browser, visitor_hash,
        count() AS clicks,
        countIf(is_bot) AS bots,
        max(previous_visitor_hash) AS previous
    FROM ${table} FINAL
    WHERE slug = {slug:String}
        AND toDate(clicked_at) BETWEEN {from:Date} AND {to:Date}
        AND clicked_at >= toDateTime64({from:Date}, 3, 'UTC')
        AND clicked_at < toDateTime64({to:Date} + 1, 3, 'UTC')
        ${condition}
    GROUP BY GROUPING SETS (${DIMENSIONS.map((dimension) => `(${dimension})`).join(', ')})
)
SETTINGS do_not_merge_across_partitions_select_final = 1, max_threads = ${MAX_THREADS},
    max_execution_time = ${MAX_EXECUTION_SECONDS}`;

/** The highest count comes first, then the lowest name. Counts are negative so that both sort upwards. */
const top = (name: 'referrer' | 'country' | 'browser', condition = '1') =>
  `groupArraySortedIf(${TOP_N})((-toInt64(clicks), ${name}), ${isSet(name)} AND ${condition})`;

/** Servers that quote 64-bit integers return counts as strings. */
type Count = number | string;
type Pairs = readonly (readonly [count: Count, name: string])[];

interface FiguresRow {
  readonly total_clicks: Count;
  readonly unique_visitors: Count;
  readonly bot_clicks: Count;
  readonly days: Pairs;
  readonly referrers: Pairs;
  readonly countries: Pairs;
  readonly devices: Pairs;
  readonly browsers: Pairs;
}

function present(row: FiguresRow): ClickFigures {
  return {
    total_clicks: Number(row.total_clicks),
    unique_visitors: Number(row.unique_visitors),
    bot_clicks: Number(row.bot_clicks),
    days: row.days.map(([clicks, date]) => ({ date, clicks: Number(clicks) })),
    top_referrers: row.referrers.map(([negated, referrer]) => ({ referrer, count: -Number(negated) })),
    top_countries: row.countries.map(([negated, country]) => ({ country, count: -Number(negated) })),
    top_devices: row.devices.map(([negated, device]) => ({ device, count: -Number(negated) })),
    top_browsers: row.browsers.map(([negated, browser]) => ({ browser, count: -Number(negated) })),
  };
}
