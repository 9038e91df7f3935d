import { type RedirectRecord, redirectRecord } from '@waypost/domain';
import type { LinkReader } from '@waypost/ports';
import { prepared } from '@waypost/postgres';
import type { DataSource } from 'typeorm';

type Row = Omit<RedirectRecord, 'revokedAt' | 'endsAt' | 'scannedAt'> & {
  revokedAt: Date | null;
  endsAt: Date | null;
  scannedAt: Date;
};

export function postgresLinkReader(db: DataSource): LinkReader {
  return {
    find: async (slug) => {
      const [row] = await prepared<Row>(
        db,
        'find-redirect',
        `SELECT slug, owner_id AS "ownerId", status, destination_url AS "destinationUrl", threat_type AS "threatType",
                revoked_at AS "revokedAt", ends_at AS "endsAt",
                scanned_at AS "scannedAt", version
         FROM links WHERE slug = $1`,
        [slug],
      );
      return row === undefined ? undefined : redirectRecord(row);
    },
  };
}
