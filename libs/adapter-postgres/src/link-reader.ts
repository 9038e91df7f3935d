import { type RedirectRecord, redirectRecord } from '@waypost/domain';
import type { LinkExpressions, LinkReader } from '@waypost/ports';
import type { DataSource } from 'typeorm';
import { prepared, rows } from './database.ts';

type Row = Omit<RedirectRecord, 'revokedAt' | 'scannedAt'> & { revokedAt: Date | null; scannedAt: Date };

export function postgresLinkReader(db: DataSource): LinkReader {
  return {
    find: async (slug) => {
      const [row] = await prepared<Row>(
        db,
        'find-redirect',
        `SELECT slug, status, destination_url AS "destinationUrl", threat_type AS "threatType",
                revoked_at AS "revokedAt", scanned_at AS "scannedAt", version
         FROM links WHERE slug = $1`,
        [slug],
      );
      return row === undefined ? undefined : redirectRecord(row);
    },
  };
}

interface Match {
  slug: string;
  destinationUrl: string;
}

export function postgresLinkExpressions(db: DataSource): LinkExpressions {
  return {
    activeLinksMatching: (expressions, { after, limit }) =>
      rows<Match>(
        db,
        `SELECT slug, destination_url AS "destinationUrl" FROM links
         WHERE status = 'active' AND slug > $2 AND slug IN (
           SELECT slug FROM link_expressions WHERE h = ANY($1::bigint[])
           UNION ALL SELECT key FROM outbox, unnest(expressions) AS h WHERE h = ANY($1::bigint[]))
         ORDER BY slug LIMIT $3`,
        [expressions, after, limit],
      ),
    activeLinks: ({ after, limit }) =>
      rows<Match>(
        db,
        `SELECT slug, destination_url AS "destinationUrl" FROM links WHERE status = 'active' AND slug > $1 ORDER BY slug LIMIT $2`,
        [after, limit],
      ),
  };
}
