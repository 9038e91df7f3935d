import { type RedirectRecord, redirectRecord } from '@waypost/domain';
import type { LinkReader } from '@waypost/ports';
import { connection, type Database, prepared } from '@waypost/postgres';
import { breaker, rest, within } from '@waypost/resilience';

type Row = Omit<RedirectRecord, 'revokedAt' | 'endsAt' | 'scannedAt'> & {
  revokedAt: Date | null;
  endsAt: Date | null;
  scannedAt: Date;
};

interface Place {
  readonly lsn: string;
  readonly timeline: string;
}

const FIND = {
  name: 'find-redirect',
  text: `SELECT slug, owner_id AS "ownerId", status, destination_url AS "destinationUrl", threat_type AS "threatType",
           revoked_at AS "revokedAt", ends_at AS "endsAt", scanned_at AS "scannedAt", version
         FROM links WHERE slug = $1`,
};
const recordOf = ([row]: Row[]) => (row === undefined ? undefined : redirectRecord(row));

export function postgresLinkReader(db: Database): LinkReader {
  return { find: async (slug) => recordOf(await prepared<Row>(db, FIND.name, FIND.text, [slug])) };
}

/** How far the primary is: every commit that it has answered is before this place of this timeline. */
const PLACE = `
SELECT pg_current_wal_flush_lsn()::text AS lsn, left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline`;
/**
 * Places of two timelines cannot be compared. After a promotion, a standby has the new timeline from its first
 * checkpoint on.
 */
const HAS = `
SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AND lpad(upper(to_hex(timeline_id)), 8, '0') = $2 AS has
FROM pg_control_checkpoint()`;
/** A standby usually has a commit a moment after the primary. */
const LOOKS = { most: 4, everyMs: 4 };
const STANDBY_WITHIN_MS = 100;
const BREAKER = { failuresInARow: 3, pauseMs: 1_000, monotonicMs: () => performance.now() };

/**
 * Reads from a standby what it has, and from the primary if the standby is late. Each read begins after the primary
 * said how far it is, so it misses no change that was answered before it. Reads at the same time share that question.
 */
export function standbyLinkReader(primary: () => Database, standby: () => Database): LinkReader {
  const guard = breaker(BREAKER);
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<Place> | undefined;

  /** A question that was sent earlier may miss a change, so a read waits for the next one. */
  function place(): Promise<Place> {
    next ??= running.then(() => {
      next = undefined;
      const answer = prepared<Place>(primary(), 'place', PLACE, []).then(([row]) => row!);
      running = answer.catch(() => undefined);
      return answer;
    });
    return next;
  }

  /** Resolves to undefined if the standby is late. */
  async function rowsOf(slug: string): Promise<Row[] | undefined> {
    const { lsn, timeline } = await place();
    // Both statements go to the same server, also behind a balancer.
    const client = await connection(standby());
    let works = false;
    try {
      for (let look = 0; look < LOOKS.most; look++) {
        const { rows } = await client.query<{ has: boolean | null }>({
          name: 'has',
          text: HAS,
          values: [lsn, timeline],
        });
        const link = rows[0]!.has ? await client.query<Row>({ ...FIND, values: [slug] }) : undefined;
        works = true;
        if (link !== undefined) return link.rows;
        await rest(LOOKS.everyMs);
      }
      return undefined;
    } finally {
      client.release(!works);
    }
  }

  return {
    find: async (slug) => {
      if (guard.leftMs() === 0) {
        const rows = await within(rowsOf(slug), STANDBY_WITHIN_MS, undefined).catch(() => undefined);
        if (rows !== undefined) {
          guard.worked();
          return recordOf(rows);
        }
        guard.failed();
      }
      return recordOf(await prepared<Row>(primary(), FIND.name, FIND.text, [slug]));
    },
  };
}
