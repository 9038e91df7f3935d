import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The scanner files links in its own tables (decision 0022); before, link-api's relay filed them. */
export class ScannerTables1700000000002 implements MigrationInterface {
  readonly name = 'ScannerTables1700000000002';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      -- The active links, as the scanner knows them from their events.
      CREATE TABLE scanner_links (
        id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        slug            text COLLATE "C" NOT NULL UNIQUE,
        destination_url text COLLATE "C" NOT NULL,
        -- as in scanner_keys: what goes when the link goes
        keys            bigint[] NOT NULL
      );
      -- Which links a new entry of the threat database may concern.
      CREATE TABLE scanner_keys (
        key     bigint NOT NULL,
        link_id bigint NOT NULL,
        PRIMARY KEY (key, link_id)
      );

      INSERT INTO scanner_links (slug, destination_url, keys)
      SELECT slug, destination_url, coalesce(array_agg(h) FILTER (WHERE h IS NOT NULL), '{}')
      FROM links LEFT JOIN (
        SELECT slug, h FROM link_expressions
        UNION SELECT key, unnest(expressions) FROM outbox
      ) AS filed USING (slug)
      WHERE status = 'active' GROUP BY slug, destination_url;
      INSERT INTO scanner_keys (key, link_id) SELECT unnest(keys), id FROM scanner_links;

      DROP TABLE link_expressions;
      ALTER TABLE outbox DROP COLUMN expressions;
    `);
  }

  async down(): Promise<void> {
    throw new Error('not undone: the keys of links that are not active were dropped');
  }
}
