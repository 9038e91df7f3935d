/** Texts of some dozens of links each, which a search reads instead of the links (decisions 0040 and 0047). */
import type { SearchTexts } from '@waypost/ports';
import type { DataSource, EntityManager } from 'typeorm';
import { inTransaction, rows } from './database.ts';
import { textArray } from './text-array.ts';

/** So many links of an account are searched one by one before they are packed. */
const WAITING_MAX = 1_024;
/** So many are sorted together, so that a text holds neighbours: the more, the fewer texts have what is searched for. */
const RUN = 16_384;
const TEXT_BYTES = 7_400;
/** Lines that are in memory at once, each of up to 2 kB. */
const FETCHED = 1_000;
/** What lines share is looked for in so many characters of the first: more costs more than it saves. */
const SHARED_WITHIN = 300;
const LOCK = 0x7061_636b; // "pack"

/** pg_c_utf8 folds the case of every script. */
export const folded = (text: string) => `lower(${text} COLLATE pg_c_utf8) COLLATE "C"`;

interface Waiting {
  readonly accountId: string;
  readonly unpacked: number;
  readonly packedTo: string;
  readonly since: string;
  readonly past: boolean;
}

/** The lock on the account keeps it from being deleted, and nobody else waits for it. */
const WAITING = `
SELECT account_id AS "accountId", unpacked, packed_to AS "packedTo", unpacked_since::text AS since, past
FROM link_counts JOIN accounts ON accounts.id = account_id
WHERE unpacked >= ${WAITING_MAX} OR past OR coalesce(loose, active + flagged + revoked - unpacked) >= ${RUN}
LIMIT 1 FOR KEY SHARE OF accounts SKIP LOCKED`;

/** Links of an account are inserted in the order of their ids, each seen before the next (0014-link-lists.sql). */
const NEW_LINES = `
SELECT id, slug || E'\\x01' || url AS line
FROM (
  SELECT id, ${folded('slug')} AS slug, ${folded('destination_url')} AS url
  FROM links WHERE owner_id = $1 AND id > $2 AND created_at >= $3 ORDER BY id LIMIT ${RUN}
) AS next
ORDER BY url, id`;

const PACKED_LINES = `
SELECT u.id, u.line FROM link_texts t, unnest(t.ids, string_to_array(t.lines, E'\\n')) AS u (id, line)
WHERE t.account_id = $1 AND t.id = ANY($2::bigint[])
ORDER BY split_part(u.line, E'\\x01', 2), u.id`;

export function postgresSearchTexts(db: DataSource): SearchTexts {
  return {
    pack: () =>
      inTransaction(db, async (tx) => {
        const [lock] = await rows<{ mine: boolean }>(tx, 'SELECT pg_try_advisory_xact_lock($1) AS mine', [LOCK]);
        if (!lock!.mine) return false;
        const [account] = await rows<Waiting>(tx, WAITING, []);
        if (account === undefined) return false;
        if (account.unpacked >= WAITING_MAX || account.past) await packNew(tx, account);
        else await sortAnew(tx, account.accountId);
        return true;
      }),
  };
}

async function packNew(tx: EntityManager, { accountId, unpacked, packedTo, since }: Waiting): Promise<void> {
  const isLoose = unpacked < RUN;
  const { links, last } = await write(tx, accountId, isLoose, NEW_LINES, [accountId, packedTo, since]);
  const [held] = await rows(tx, 'SELECT FROM link_counts WHERE account_id = $1 AND packed_to = $2 FOR UPDATE', [
    accountId,
    packedTo,
  ]);
  if (held === undefined) throw new Error('the version before has packed the same links');
  const loose = `loose = coalesce(loose, active + flagged + revoked - unpacked) + ${isLoose ? links : 0}`;
  if (links === RUN) {
    await tx.query(
      `UPDATE link_counts SET packed_to = $2, unpacked = unpacked - ${links}, ${loose} WHERE account_id = $1`,
      [accountId, last],
    );
    return;
  }
  await tx.query(
    `UPDATE link_counts SET packed_to = $2, ${loose}, (unpacked, unpacked_since, past) = (
       SELECT count(*), coalesce(min(created_at), 'infinity'), coalesce(bool_or(created_at < scanned_at), false)
       FROM links WHERE owner_id = $1 AND id > $2
     ) WHERE account_id = $1`,
    [accountId, Math.max(last, Number(packedTo))],
  );
}

/** The oldest runs that are too small to help a search, as one. */
async function sortAnew(tx: EntityManager, accountId: string): Promise<void> {
  const small = await rows<{ id: string; links: number }>(
    tx,
    'SELECT id, links FROM link_texts WHERE account_id = $1 AND loose ORDER BY id',
    [accountId],
  );
  let [left, total] = [0, 0];
  const sorted: string[] = [];
  for (const { id, links } of small) {
    if (total < RUN) {
      sorted.push(id);
      total += links;
    } else left += links;
  }
  if (total >= RUN) {
    await write(tx, accountId, false, PACKED_LINES, [accountId, sorted]);
    await tx.query('DELETE FROM link_texts WHERE account_id = $1 AND id = ANY($2::bigint[])', [accountId, sorted]);
  } else left = total;
  await tx.query('UPDATE link_counts SET loose = $2 WHERE account_id = $1', [accountId, left]);
}

interface Line {
  readonly id: string;
  /** slug, U+0001, destination, in small letters */
  readonly line: string;
}

/** Resolves to the number of lines of `select`, and the greatest id. */
async function write(
  tx: EntityManager,
  accountId: string,
  isLoose: boolean,
  select: string,
  values: unknown[],
): Promise<{ links: number; last: number }> {
  await tx.query(`DECLARE lines NO SCROLL CURSOR FOR ${select}`, values);
  let [links, last, bytes, isOver] = [0, 0, 0, false];
  let open: Line[] = [];
  while (!isOver) {
    const found = await rows<Line>(tx, `FETCH ${FETCHED} FROM lines`, []);
    isOver = found.length < FETCHED;
    const full: Line[][] = [];
    for (const next of found) {
      const size = Buffer.byteLength(next.line);
      if (open.length > 0 && bytes + size > TEXT_BYTES) {
        full.push(open);
        [open, bytes] = [[], 0];
      }
      open.push(next);
      bytes += size;
      last = Math.max(last, Number(next.id));
    }
    if (isOver && open.length > 0) full.push(open);
    links += found.length;
    await insert(tx, accountId, isLoose, full);
  }
  await tx.query('CLOSE lines');
  return { links, last };
}

async function insert(tx: EntityManager, accountId: string, isLoose: boolean, texts: readonly Line[][]): Promise<void> {
  const shared = texts.map((text) => sharedPieces(text.map(({ line }) => line)));
  const lines = texts.map((text) => text.map(({ line }) => line).join('\n'));
  await tx.query(
    `INSERT INTO link_texts (account_id, loose, links, shared, ids, lines, trigrams)
     SELECT $1, $2, cardinality(ids::bigint[]), shared, ids::bigint[], lines, trigrams
     FROM unnest($3::text[], $4::text[], $5::text[], $6::bytea[]) AS t (shared, ids, lines, trigrams)`,
    [
      accountId,
      isLoose,
      textArray(shared),
      texts.map((text) => `{${text.map(({ id }) => id).join()}}`),
      textArray(lines),
      lines.map(trigramBits),
    ],
  );
}

/**
 * What all of these lines have in common, one piece on a line: how the destinations begin, and of the words and numbers
 * of the first line, as many in a row as all have. `lines` are sorted by destination.
 */
export function sharedPieces(lines: readonly string[]): string {
  const [first, last] = [lines[0]!, lines.at(-1)!];
  const begin = commonStart(destinationOf(first), destinationOf(last));
  const pieces = new Set([begin]);
  const inAll = (piece: string) => begin.includes(piece) || lines.every((line) => line.includes(piece));
  for (const part of [...first].slice(0, SHARED_WITHIN).join('').split('\x01')) {
    let piece = '';
    for (const [token] of part.matchAll(TOKEN)) {
      if (inAll(piece + token)) piece += token;
      else {
        pieces.add(piece);
        piece = inAll(token) ? token : '';
      }
    }
    pieces.add(piece);
  }
  return [...pieces].filter((one) => one === begin || !begin.includes(one)).join('\n');
}

const TOKEN = /\p{L}+[^\p{L}\p{N}]*|\p{N}+|[^\p{L}\p{N}]+/gu;
const destinationOf = (line: string) => line.slice(line.indexOf('\x01') + 1);

function commonStart(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  const common = one.slice(0, length);
  return common.isWellFormed() ? common : common.slice(0, -1);
}

const TRIGRAM_BITS = 13;

/**
 * Each three bytes in a row of the text in UTF-8, as a number below 8,192. They are stored: another way to number them
 * needs another column.
 */
export function trigramsOf(text: string): number[] {
  const bytes = Buffer.from(text);
  const found: number[] = [];
  for (let i = 2; i < bytes.length; i++) {
    const [a, b, c] = [bytes[i - 2]!, bytes[i - 1]!, bytes[i]!];
    // Control characters separate, and nobody searches for them.
    if (a < 0x20 || b < 0x20 || c < 0x20) continue;
    found.push(Math.imul((a << 16) | (b << 8) | c, 0x9e37_79b1) >>> (32 - TRIGRAM_BITS));
  }
  return found;
}

/** A set of them, as PostgreSQL's `get_bit` reads it. */
function trigramBits(text: string): Buffer {
  const bits = Buffer.alloc(2 ** TRIGRAM_BITS / 8);
  for (const trigram of trigramsOf(text)) bits[trigram >> 3]! |= 1 << (trigram & 7);
  return bits;
}
