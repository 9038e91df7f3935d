/** Pages of an account's links, whose price does not grow with the number of links (decision 0040). */
import { LIMITS, LINK_STATUSES, type Link, type LinkStatus } from '@waypost/domain';
import type { LinkStore, ListQuery } from '@waypost/ports';
import type { DataSource } from 'typeorm';
import { binding, inSnapshot, type Query } from './database.ts';
import type { LinkRow } from './entities.ts';
import { folded, trigramsOf } from './search-texts.ts';

export const LINK_COLUMNS = `id, slug, owner_id AS "ownerId", destination_url AS "destinationUrl", status, threat_type AS "threatType",
  take_down_reason AS "takeDownReason", tags, created_at AS "createdAt", updated_at AS "updatedAt", revoked_at AS "revokedAt", scanned_at AS "scannedAt",
  scan_generation AS "scanGeneration", deep_scan AS "deepScan", preview_first AS "previewFirst", version`;

export function linkOf({ id: _, ...link }: LinkRow): Link {
  return link;
}

type Page = Awaited<ReturnType<LinkStore['list']>>;
type Counts = Readonly<Record<LinkStatus, number>>;
type Filters = Pick<ListQuery, 'status' | 'search' | 'tags'>;

const NOTHING: Page = { links: [], total: 0 };
/** So many links are read and sorted; of more, an index is followed in its order. */
const GATHERED_MAX = 10_000;
/** Of those with one tag. */
const TAGGED_MAX = 50_000;
/** In these orders, neighbours mostly stand in the same page of the table. */
const BY_TIME: ReadonlySet<ListQuery['sort']> = new Set(['created_at', 'updated_at']);
/** A page by time is looked for among so many times the links that hold it if all are spread evenly. */
const NEARBY = 2;
/** Reading a link costs as much as passing over so many entries of an index. */
const READING = 4;
/** The indexes have the orders, but the planner, whose statistics know no single account, would rather sort. */
const SETTINGS = { enable_seqscan: 'off', enable_sort: 'off', random_page_cost: '1' };

export function listLinks(db: DataSource, ownerId: string, asked: ListQuery): Promise<Page> {
  const query = { ...asked, tags: [...new Set(asked.tags)] };
  if (query.search !== undefined && !couldBeIn(query.search)) return Promise.resolve(NOTHING);
  return inSnapshot(db, SETTINGS, (ask) => new Listing(ask, ownerId, query).page());
}

/**
 * Case folding keeps the number of characters, so a longer text than any destination cannot be part of one. Control
 * characters are in no slug and no destination; in `link_texts` they separate.
 */
function couldBeIn(search: string): boolean {
  return [...search].length <= LIMITS.destinationUrlBytes && !/\p{Cc}/u.test(search);
}

interface CountsRow extends Counts {
  /** Of links that are not in `link_texts` yet. */
  readonly packed_to: string;
  readonly unpacked_since: string;
  /** What is searched for, in small letters. */
  readonly search: string | null;
}

/** Where a search found something: the rows of `link_texts`, unless they are many. */
interface Hits {
  readonly total: number;
  readonly texts: readonly string[] | null;
}

const sum = ({ active, flagged, revoked }: Counts) => active + flagged + revoked;

type Bind = ReturnType<typeof binding>['bind'];

/** One request. */
class Listing {
  readonly #ask: Query;
  readonly #ownerId: string;
  readonly #query: ListQuery;
  readonly #offset: number;

  constructor(ask: Query, ownerId: string, query: ListQuery) {
    this.#ask = ask;
    this.#ownerId = ownerId;
    this.#query = query;
    this.#offset = (query.page - 1) * query.limit;
  }

  async page(): Promise<Page> {
    const { search: asked, ...others } = this.#query;
    const [all] = await this.#ask<CountsRow>(
      `SELECT active, flagged, revoked, packed_to, unpacked_since::text, ${folded('$2::text')} AS search
       FROM link_counts WHERE account_id = $1`,
      [this.#ownerId, asked],
    );
    if (all === undefined) return NOTHING;
    const search = all.search ?? undefined;
    const tagged = others.tags.length === 0 ? [] : await this.#countsOf(others.tags);
    if (tagged.length < others.tags.length) return NOTHING;
    const [rarest] = tagged.toSorted((one, other) => sum(one) - sum(other));
    const counts = rarest ?? all;
    // What lets every link through is no filter.
    const tags = tagged.filter((one) => sum(one) < sum(all)).map(({ tag }) => tag);
    const { status } = others;
    const filters: Filters = { tags, ...(status && { status }) };
    const most = status === undefined ? sum(counts) : counts[status];
    const searched: Filters = search === undefined ? filters : { ...filters, search };
    const isCounted = search === undefined && tags.length < 2;
    if (isCounted && this.#offset >= most) return { links: [], total: most };
    if (most <= this.#mostGathered(filters, isCounted, sum(all) / most)) {
      const near = isCounted && tags.length > 0 ? await this.#nearby(filters, most, sum(all) / most) : undefined;
      return near ?? this.#gathered(this.#filtered(searched));
    }
    const hits = search === undefined ? undefined : await this.#hits(search, all);
    if (hits === undefined || hits.total === sum(all))
      return this.#walked(
        filters,
        tags.length < 2 ? most : await this.#count(filters),
        tags.length < 2 ? counts : undefined,
      );
    if (hits.total === 0) return NOTHING;
    if (hits.texts !== null) return this.#gathered(this.#found(searched, hits.texts, all));
    return this.#walked(searched, await this.#countOfMany(searched, hits.total, counts));
  }

  /**
   * `each`: of so many links, one passes the filters. Only the rows have the tags, and those with one may all stand at
   * the end of an order: it is followed only if most have it, or too many to read. An index has the status, and passes
   * links at little cost.
   */
  #mostGathered({ status, tags }: Filters, isCounted: boolean, each: number): number {
    if (!isCounted) return GATHERED_MAX;
    if (tags.length > 0) return each > 2 ? TAGGED_MAX : 0;
    if (status === undefined) return 0;
    return Math.min(GATHERED_MAX, ((this.#offset + this.#query.limit) * each) / READING);
  }

  /** Of each of the tags that any link has. */
  #countsOf(tags: readonly string[]): Promise<(Counts & { readonly tag: string })[]> {
    return this.#ask(
      'SELECT tag, active, flagged, revoked FROM link_tag_counts WHERE account_id = $1 AND tag = ANY($2::text[])',
      [this.#ownerId, tags],
    );
  }

  /**
   * Looks at all texts of the account, and into those that have the trigrams of what is searched for. Those that share it
   * count without a look at each line.
   */
  async #hits(search: string, { packed_to, unpacked_since }: CountsRow): Promise<Hits> {
    const { values, bind } = binding();
    const account = bind(this.#ownerId);
    const wanted = bind(search);
    const [row] = await this.#ask<{ total: string; texts: string[] | null }>(
      `WITH packed AS (
         SELECT id, CASE
             WHEN ${holds('shared', wanted)} THEN links
             ELSE (SELECT count(*) FROM string_to_table(lines, E'\\n') AS line WHERE ${holds('line', wanted)})
           END AS found
         FROM link_texts
         WHERE account_id = ${account}
           AND (${holds('shared', wanted)} OR (${mayHold(search)} AND ${holds('lines', wanted)}))
       ),
       counted AS (
         SELECT coalesce(sum(found), 0) AS total, array_agg(id) AS texts FROM packed WHERE found > 0
       ),
       others AS (
         SELECT count(*) AS total FROM links
         WHERE owner_id = ${account} AND created_at >= ${bind(unpacked_since)} AND id > ${bind(packed_to)}
           AND ${linkHolds(wanted)}
       )
       SELECT counted.total + others.total AS total,
         CASE WHEN counted.total + others.total <= ${GATHERED_MAX} THEN coalesce(counted.texts, '{}') END AS texts
       FROM counted, others`,
      values,
    );
    return { total: Number(row!.total), texts: row!.texts };
  }

  async #count(filters: Filters): Promise<number> {
    const { values, bind } = binding();
    const [row] = await this.#ask<{ total: string }>(
      `SELECT count(*) AS total FROM links WHERE ${this.#conditions(filters, bind, true)}`,
      values,
    );
    return Number(row!.total);
  }

  /** How many of many hits pass the other filters too. With a status alone: all but those of other statuses, if these are few. */
  async #countOfMany(filters: Filters, hits: number, counts: Counts): Promise<number> {
    if (filters.tags.length > 0) return this.#count(filters);
    const others = LINK_STATUSES.filter((other) => filters.status !== undefined && other !== filters.status);
    if (others.reduce((all, other) => all + counts[other], 0) > GATHERED_MAX) return this.#count(filters);
    let total = hits;
    for (const status of others) total -= await this.#count({ ...filters, status });
    return total;
  }

  #filtered(filters: Filters): Matching {
    const { values, bind } = binding();
    return { tables: [], values, conditions: this.#conditions(filters, bind, true) };
  }

  /** What a search found, and of that what the other filters let through. */
  #found({ search, ...others }: Filters, texts: readonly string[], { packed_to, unpacked_since }: CountsRow): Matching {
    const { values, bind } = binding();
    const wanted = bind(search);
    const hits = `hits AS MATERIALIZED (
        SELECT u.id FROM link_texts t, unnest(t.ids, string_to_array(t.lines, E'\\n')) AS u (id, line)
        WHERE t.account_id = ${bind(this.#ownerId)} AND t.id = ANY(${bind(texts)}::bigint[])
          AND ${holds('u.line', wanted)}
        UNION ALL
        SELECT id FROM links WHERE owner_id = ${bind(this.#ownerId)} AND created_at >= ${bind(unpacked_since)} AND id > ${bind(packed_to)}
          AND ${linkHolds(wanted)}
      )`;
    return {
      tables: [hits],
      values,
      conditions: `id IN (SELECT id FROM hits) AND ${this.#conditions(others, bind, false)}`,
    };
  }

  /** Of a link. `byTag`: the index of tags helps. */
  #conditions({ status, tags, search }: Filters, bind: Bind, byTag: boolean): string {
    const conditions = [`owner_id = ${bind(this.#ownerId)}`];
    if (status !== undefined) conditions.push(`status = ${bind(status)}`);
    if (tags.length > 0)
      conditions.push(
        byTag
          ? `tags <> '{}' AND tags_of_account(owner_id, tags) @> tags_of_account(${bind(this.#ownerId)}, ${bind([...tags])}::text[])`
          : `tags @> ${bind([...tags])}::text[]`,
      );
    if (search !== undefined) conditions.push(linkHolds(bind(search)));
    return conditions.join(' AND ');
  }

  /** All links that match are read, and sorted: they are not many. */
  async #gathered({ tables, values, conditions }: Matching): Promise<Page> {
    const { sort, order, limit } = this.#query;
    const ordered = `sorted ${order}, slug ASC`;
    const found = await this.#ask<{ total: string; place: string } & (LinkRow | { id: null })>(
      `WITH ${[
        ...tables,
        `found AS MATERIALIZED (SELECT id, slug, ${sort} AS sorted FROM links WHERE ${conditions})`,
        `page AS (
           SELECT id, row_number() OVER (ORDER BY ${ordered}) AS place FROM found ORDER BY ${ordered}
           OFFSET ${this.#offset} LIMIT ${limit}
         )`,
      ].join()}
       SELECT counted.total, shown.* FROM (SELECT count(*) AS total FROM found) counted
       LEFT JOIN (SELECT ${LINK_COLUMNS}, place FROM page JOIN links USING (id)) shown ON true
       ORDER BY place`,
      values,
    );
    return {
      links: found.flatMap(({ total: _, place: __, ...row }) => (row.id === null ? [] : [linkOf(row)])),
      total: Number(found[0]!.total),
    };
  }

  /**
   * A page by time of the links with a tag, one of `each`, if it is among those at the nearer end: to read these takes less
   * than to read all with the tag, which stand anywhere in the table. Undefined if it is not, or is too far in.
   */
  async #nearby(filters: Filters, total: number, each: number): Promise<Page | undefined> {
    const { skipped, taken } = this.#walk(total);
    const within = Math.ceil((skipped + taken) * each * NEARBY);
    if (!BY_TIME.has(this.#query.sort) || within > total) return undefined;
    const page = await this.#walked(filters, total, undefined, within);
    return page.links.length === taken ? page : undefined;
  }

  #walk(total: number): Walk {
    const { order, limit } = this.#query;
    const taken = Math.min(limit, total - this.#offset);
    const fromEnd = this.#offset > total / 2;
    const skipped = fromEnd ? total - this.#offset - taken : this.#offset;
    const turned = { asc: 'desc', desc: 'asc' } as const;
    return { direction: fromEnd ? turned[order] : order, ties: fromEnd ? 'desc' : 'asc', skipped, taken };
  }

  /**
   * Follows an index in its order, from the end that is nearer. `counts`: how many of the `total` have which status.
   * `within`: by time, looks no further than at so many links.
   */
  async #walked(filters: Filters, total: number, counts?: Counts, within?: number): Promise<Page> {
    const { sort, order } = this.#query;
    if (this.#offset >= total) return { links: [], total };
    const { values, bind } = binding();
    const page = this.#places(filters, { ...this.#walk(total), within }, counts, bind);
    const found = await this.#ask<LinkRow>(
      `WITH page AS (${page}) SELECT ${LINK_COLUMNS} FROM page JOIN links USING (slug) ORDER BY ${sort} ${order}, slug ASC`,
      values,
    );
    return { links: found.map(linkOf), total };
  }

  /** The slugs of a page, by an index that has the order. */
  #places(filters: Filters, walk: Walk, counts: Counts | undefined, bind: Bind): string {
    const { direction, ties, skipped, taken, within } = walk;
    const { sort } = this.#query;
    const { status } = filters;
    const conditions = this.#conditions(filters, bind, false);
    const slice = (skip: number, take: number) => `OFFSET ${skip} LIMIT ${take}`;
    if (sort !== 'slug' && sort !== 'status') {
      const ordered = `ORDER BY ${sort} ${direction}, slug ${ties}`;
      const links =
        within === undefined
          ? 'links'
          : `(SELECT * FROM links WHERE owner_id = ${bind(this.#ownerId)} ${ordered} LIMIT ${within}) AS near`;
      return `SELECT slug FROM ${links} WHERE ${conditions} ${ordered} ${slice(skipped, taken)}`;
    }
    if (status !== undefined) {
      const by = sort === 'slug' ? direction : ties;
      return `SELECT slug FROM links WHERE ${conditions} ORDER BY slug ${by} ${slice(skipped, taken)}`;
    }
    const of = (one: LinkStatus) => `SELECT slug FROM links WHERE ${conditions} AND status = '${one}'`;
    if (sort === 'slug') {
      // Each part by itself, so that its index gives the order.
      const parts = LINK_STATUSES.map((one) => `(${of(one)} ORDER BY slug ${direction} LIMIT ${skipped + taken})`);
      return `SELECT slug FROM (${parts.join(' UNION ALL ')}) each ORDER BY slug ${direction} ${slice(skipped, taken)}`;
    }
    const statuses = LINK_STATUSES.toSorted();
    if (direction === 'desc') statuses.reverse();
    if (counts === undefined) {
      const parts = statuses.map(
        (one, rank) =>
          `(SELECT slug, ${rank} AS rank FROM (${of(one)}) one ORDER BY slug ${ties} LIMIT ${skipped + taken})`,
      );
      return `SELECT slug FROM (${parts.join(' UNION ALL ')}) each ORDER BY rank, slug ${ties} ${slice(skipped, taken)}`;
    }
    const parts: string[] = [];
    let before = 0;
    for (const one of statuses) {
      const skip = Math.max(0, skipped - before);
      const take = Math.min(counts[one], skipped + taken - before) - skip;
      if (take > 0) parts.push(`(${of(one)} ORDER BY slug ${ties} ${slice(skip, take)})`);
      before += counts[one];
    }
    return parts.join(' UNION ALL ');
  }
}

/** The links to read, and what their conditions refer to. */
interface Matching {
  readonly tables: readonly string[];
  readonly values: unknown[];
  readonly conditions: string;
}

interface Walk {
  readonly direction: ListQuery['order'];
  readonly ties: ListQuery['order'];
  readonly skipped: number;
  readonly taken: number;
  readonly within?: number | undefined;
}

/** strpos, not LIKE: nothing in the text is a pattern. Both are folded. */
const holds = (text: string, wanted: string) => `strpos(${text}, ${wanted}) > 0`;
const linkHolds = (wanted: string) =>
  `(${holds(folded('slug'), wanted)} OR ${holds(folded('destination_url'), wanted)})`;

/** So many trigrams of a long text are looked for. */
const TRIGRAMS_MAX = 64;

/** Whether a text has all trigrams of this. One that the version before packed may have any. */
function mayHold(search: string): string {
  const all = [...new Set(trigramsOf(search))];
  const some = all.filter((_, i) => i % Math.ceil(all.length / TRIGRAMS_MAX) === 0);
  const has = some.map((trigram) => `get_bit(trigrams, ${trigram}) = 1`);
  return `(trigrams IS NULL OR (${['true', ...has].join(' AND ')}))`;
}
