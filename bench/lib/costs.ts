/**
 * What one process carries and what one click costs, for `deploy/size.md` and `bench/simulate.ts`. `measured` says what
 * a bench showed on two shared cores; plans use the value.
 */
export interface Cost {
  readonly value: number;
  readonly unit: string;
  readonly what: string;
  /** The measured figure. Absent for an assumption. */
  readonly measured?: string;
}

const cost = (what: string, value: number, unit: string, measured?: string): Cost => ({
  what,
  value,
  unit,
  ...(measured !== undefined && { measured }),
});

export const COSTS = {
  redirects: cost('a redirector, per process and core', 20_000, '/s', '50 k/s hot, 29 k/s with 10,000 slugs'),
  storeReads: cost('a redirector without Redis', 3_000, '/s', '0.19 ms per look-up'),
  shipping: cost('clicks from a click log into Kafka, per redirector', 50_000, '/s', '6 µs of CPU per click'),
  redisLookUps: cost('look-ups at one Redis', 100_000, '/s', '2.5 µs of its CPU, without the network'),
  postgresReads: cost('reads by slug at one PostgreSQL with 16 cores', 50_000, '/s'),
  flags: cost('links flagged after a feed, by one link-api', 1_700, '/s', '50,000 in 24 to 29 s'),
  creations: cost('link-api, creations', 500, '/s', '680 to 820/s'),
  brokerBytes: cost('a broker, written bytes', 100_000_000, 'B/s'),
  ingest: cost('an ingest process, Kafka into ClickHouse', 50_000, '/s', '75 to 79 k clicks/s'),
  inserts: cost('a ClickHouse node, inserts with fsync', 200_000, '/s', '242 k rows/s'),
  kafkaBytes: cost('a click in Kafka', 350, 'B', '350 to 373 B'),
  logBytes: cost('a click in the click log', 280, 'B', '280 B'),
  rowBytes: cost('a click in ClickHouse', 38, 'B', '38 B'),
  redisBytes: cost('a link in Redis', 500, 'B', '328 B, URL of 30 characters'),
} satisfies Record<string, Cost>;

/** A load to plan for. The default numbers of machines follow from it by `planFor`. */
export interface Load {
  readonly peak: number;
  readonly clicks: number;
}

export interface Plan extends Load {
  readonly redirectors: number;
  readonly shards: number;
  readonly brokers: number;
  readonly partitions: number;
  readonly ingest: number;
  readonly clickhouseShards: number;
}

const COPIES = 3;
const atLeast = (least: number, value: number) => Math.max(least, Math.ceil(Number(value.toPrecision(12))));

/** The formulas of `deploy/size.md`. `lookUps` is what the simulation says about Redis. */
export function planFor({ peak, clicks }: Load, lookUps: number): Plan {
  const ingest = atLeast(2, (peak / COSTS.ingest.value) * 1.2);
  const brokers = atLeast(3, (peak * COSTS.kafkaBytes.value * COPIES) / COSTS.brokerBytes.value + 1);
  return {
    peak,
    clicks,
    redirectors: atLeast(3, (peak / COSTS.redirects.value) * 1.2),
    // Half of its masters may be promoted replicas on fewer machines, so plan for half of what one carries.
    shards: lookUps <= COSTS.redisLookUps.value / 2 ? 1 : atLeast(3, lookUps / (COSTS.redisLookUps.value / 2)),
    brokers,
    // Each consumer needs two, and partitions spread evenly over the brokers.
    partitions: Math.ceil((Math.max(ingest * 2, 12) * 1.5) / brokers) * brokers,
    ingest,
    clickhouseShards: atLeast(1, (peak / COSTS.inserts.value) * 1.2),
  };
}
