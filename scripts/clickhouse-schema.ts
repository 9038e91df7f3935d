/**
 * Writes the tables in deploy/clickhouse/*.sql from libs/adapter-clickhouse/src/schema.ts. `--check` only compares.
 * The text around them is written by hand.
 */
import { schemaStatements, type TablePlace } from '../libs/adapter-clickhouse/src/schema.ts';
import { writeGenerated } from './generated.ts';

const SCRIPT = 'scripts/clickhouse-schema.ts';

/** Each shard has its clicks in `clicks_local`. Every node has the same migrations, so their path has no {shard}. */
const CLUSTER: TablePlace = {
  on: " ON CLUSTER 'waypost'",
  clicksTable: 'clicks_local',
  clicksEngine: "ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/waypost/clicks', '{replica}', copy_rank)",
  migrationsEngine: "ReplicatedReplacingMergeTree('/clickhouse/tables/all/waypost/migrations', '{shard}-{replica}')",
};

const sql = (statements: readonly string[]) => statements.map((statement) => `${statement};\n`).join('\n');

const texts = ({ tables, versions }: ReturnType<typeof schemaStatements>) => [sql(tables), sql(versions)];

writeGenerated(SCRIPT, 'deploy/clickhouse/one-node.sql', texts(schemaStatements('waypost')));
writeGenerated(SCRIPT, 'deploy/clickhouse/cluster.sql', texts(schemaStatements('waypost', CLUSTER)));
