import type { ClickHouseClient } from '@clickhouse/client';
import { type ClickFigures, type DayRange, TOP_LINKS, TOP_N } from '@waypost/domain';
import type { Bots, ClickStats } from '@waypost/ports';
import { CLICKS_TABLE, identifier } from './schema.ts';
import { SELECT_SETTINGS, select } from './select.ts';

const MAX_THREADS = 2;

/**
 * FINAL counts copies of a click once. Rejects with `unavailable` whenever the store does not answer. The log gets the
 * reason from `cause`.
 */
export function clickhouseClickStats(client: ClickHouseClient, database: string): ClickStats {
  const table = `${identifier(database)}.${CLICKS_TABLE}`;

  const read = <Row>(
    figures: (from: string) => string,
    { from, to }: DayRange,
    bots: Bots,
    of: { readonly account: string; readonly slug?: string; readonly slugs?: string },
    signal: AbortSignal | undefined,
  ): Promise<readonly Row[]> =>
    select(client, {
      query: `${figures(source(table, bots, of))}\n${SETTINGS}`,
      query_params: { ...of, from, to },
      signal,
      failure: 'Analytics are unavailable. Try again later.',
    });

  const accountTotals: ClickStats['accountTotals'] = async (account, range, bots, signal) => {
    const [totals] = await read<TotalsRow>(TOTALS, range, bots, { account }, signal);
    const [rotated] =
      Number(totals!.rotated) === 0 ? [] : await read<TwiceRow>(COUNTED_TWICE, range, bots, { account }, signal);
    return {
      total_clicks: Number(totals!.total_clicks),
      unique_visitors: Number(totals!.unique_visitors) - Number(rotated?.visitors ?? 0),
    };
  };

  return {
    async figures({ ownerId: account, slug }, range, bots, signal) {
      const [row] = await read<FiguresRow>(LINK_FIGURES, range, bots, { account, slug }, signal);
      return present(row!);
    },
    async accountFigures(account, range, bots, signal) {
      const [row] = await read<AccountFiguresRow>(ACCOUNT_FIGURES, range, bots, { account }, signal);
      // The days and their sum are of one query, or a click between the two queries would be in one of them only.
      const { unique_visitors } = await accountTotals(account, range, bots, signal);
      const links = row!.links.map(([negated, slug]) => ({ slug, clicks: -Number(negated) }));
      return { ...present({ ...row!, unique_visitors }), links };
    },
    accountTotals,
    async topLinks(account, range, bots, signal) {
      const links = await read<{ slug: string; clicks: Count }>(TOP, range, bots, { account }, signal);
      return links.map(({ slug, clicks }) => ({ slug, clicks: Number(clicks) }));
    },
    async days(account, slugs, range, bots, signal) {
      const select = (from: string) =>
        `SELECT slug, toDate(clicked_at) AS date, count() AS clicks FROM ${from} GROUP BY slug, date`;
      const days = await read<{ slug: string; date: string; clicks: Count }>(
        select,
        range,
        bots,
        { account, slugs: slugs.join(' ') },
        signal,
      );
      return days.map(({ slug, date, clicks }) => ({ slug, date, clicks: Number(clicks) }));
    },
  };
}

/** Settings are in the text because chDB's connection would keep them for later statements. */
const SETTINGS = `SETTINGS do_not_merge_across_partitions_select_final = 1, max_threads = ${MAX_THREADS},
    ${SELECT_SETTINGS}`;

const DAYS = 'toDate(clicked_at) BETWEEN {from:Date} AND {to:Date}';

/**
 * Selects clicks of a link, of several links, or of all links of an account. The time bounds select months and exclude
 * times so far ahead that their `Date` overflows. The day bounds use the sorting key of a link.
 */
const source = (table: string, bots: Bots, of: { readonly slug?: string; readonly slugs?: string }) => `${table} FINAL
    WHERE account_id = {account:UUID}
        ${of.slug === undefined ? '' : `AND slug = {slug:String} AND ${DAYS}`}
        ${of.slugs === undefined ? '' : `AND slug IN splitByChar(' ', {slugs:String}) AND ${DAYS}`}
        AND clicked_at >= toDateTime64({from:Date}, 3, 'UTC')
        AND clicked_at < toDateTime64({to:Date} + 1, 3, 'UTC')
        ${bots === 'exclude' ? 'AND NOT is_bot' : ''}`;

/**
 * One pass over the clicks groups them by each dimension separately. On a link with 150,000 clicks this takes 40 ms of
 * CPU. `sumMap` and `uniqExact` would take 50 ms there, and on a small link 9 ms instead of 13. Names keep their stored
 * form until only ten remain, since a conversion costs more.
 *
 * After a rotation of the secret a visitor has two hashes, and later clicks have both. Clicks with the same hash count
 * under its previous hash if any of them has one.
 *
 * Each dimension is one grouping set. ClickHouse identifies a set by a mask with a bit for each dimension that is not
 * in it.
 */
function figuresQuery(last: 'visitor_hash' | 'slug') {
  const dimensions = ['day', 'referrer', 'country', 'device', 'browser', last];
  const isSet = (dimension: string) =>
    `dimension = ${2 ** dimensions.length - 1 - 2 ** (dimensions.length - 1 - dimensions.indexOf(dimension))}`;
  /** The highest count comes first, then the lowest name. Counts are negative so that both sort upwards. */
  const top = (name: string, condition = '1') =>
    `groupArraySortedIf(${TOP_N})((-toInt64(clicks), ${name}), ${isSet(name)} AND ${condition})`;
  const visitors = `uniqExactIf(if(previous = 0, visitor_hash, previous), ${isSet(last)}) AS unique_visitors`;
  // `groupArraySorted` takes 80 ms longer with 100,000 links.
  const allLinks = `groupArrayIf((-toInt64(clicks), slug), ${isSet(last)})`;
  const topLinks = `arraySlice(arrayPartialSort(${TOP_LINKS}, ${allLinks}), 1, ${TOP_LINKS}) AS links`;
  return (from: string) => `
SELECT
    sumIf(clicks, ${isSet('day')}) AS total_clicks,
    ${last === 'slug' ? topLinks : visitors},
    sumIf(bots, ${isSet('day')}) AS bot_clicks,
    groupArrayIf((clicks, day), ${isSet('day')}) AS days,
    ${top('referrer')} AS referrers,
    ${top('country', "country != 'ZZ'")} AS countries,
    arraySort(groupArrayIf((-toInt64(clicks), CAST(device, 'String')), ${isSet('device')})) AS devices,
    ${top('browser')} AS browsers
FROM
(
    SELECT
        grouping(${dimensions.join(', ')}) AS dimension,
        toDate(clicked_at) AS day, ${dimensions.slice(1).join(', ')},
        ${last === 'slug' ? '' : 'max(previous_visitor_hash) AS previous,'}
        count() AS clicks,
        countIf(is_bot) AS bots
    FROM ${from}
    GROUP BY GROUPING SETS (${dimensions.map((dimension) => `(${dimension})`).join(', ')})
    ${last === 'slug' ? ONE_LEVEL : ''}
)`;
}

/** ClickHouse splits hash tables above 100,000 groups. With 100,000 links that took up to 100 ms more. */
const ONE_LEVEL = 'SETTINGS group_by_two_level_threshold = 0, group_by_two_level_threshold_bytes = 0';

const LINK_FIGURES = figuresQuery('visitor_hash');
const ACCOUNT_FIGURES = figuresQuery('slug');

const TOP = (from: string) =>
  `SELECT slug, count() AS clicks FROM ${from} GROUP BY slug ORDER BY clicks DESC, slug LIMIT ${TOP_LINKS}`;

/** `uniq` estimates the number of visitors, because a set of all visitors of an account would be too large. */
const TOTALS = (from: string) => `
SELECT
    count() AS total_clicks,
    uniq(if(previous_visitor_hash = 0, visitor_hash, previous_visitor_hash)) AS unique_visitors,
    countIf(previous_visitor_hash != 0) AS rotated
FROM ${from}`;

/** Counts the visitors with a previous hash in only some of their clicks. `TOTALS` counts them under both hashes. */
const COUNTED_TWICE = (from: string) => `
SELECT toInt64(uniqIf(visitor_hash, previous_visitor_hash = 0) + uniqIf(visitor_hash, previous_visitor_hash != 0))
    - toInt64(uniq(visitor_hash)) AS visitors
FROM ${from}`;

/** Servers that quote 64-bit integers return counts as strings. */
type Count = number | string;
type Pairs = readonly (readonly [count: Count, name: string])[];

interface TotalsRow {
  readonly total_clicks: Count;
  readonly unique_visitors: Count;
  readonly rotated: Count;
}

interface TwiceRow {
  readonly visitors: Count;
}

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

interface AccountFiguresRow extends Omit<FiguresRow, 'unique_visitors'> {
  readonly links: Pairs;
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
