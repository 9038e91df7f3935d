/**
 * Plays an installation that no machine here can hold: 60 redirectors, a million visits a second, a viral link, feeds,
 * revokes and a region that fails. Costs come from `lib/costs.ts`, waits from the code. The same seed gives the same
 * report, and `deploy/size.md` holds its tables.
 *
 *   npm run bench -- simulate [--visits 1000000] [--seed 1]
 *   npm run bench -- simulate --check yes    compares two predictions with the separate processes at 1 % of the load
 *
 * It is a fluid model: each second has rates, not single visits. Look-ups follow from the micro-cache exactly: an entry
 * lives for T after its read, so a slug with r visits a second at a redirector is looked up r / (1 + rT) times.
 */
import { GENERATION_LIFETIME_MS, MICRO_CACHE_MS } from '../libs/adapter-redis/src/index.ts';
import { COSTS, type Cost, type Load, type Plan, planFor } from './lib/costs.ts';

const LINKS = 10_000_000;
const VIRAL_SHARE = 0.1;
/** Visits with a slug that no link has: mistyped, or guessed by scanners. None is asked for twice. */
const UNKNOWN_SHARE = 0.005;
const REGIONS = 3;
const SECONDS = 3_600;
/** Resolvers and balancers send visitors elsewhere after this long. */
const REROUTE_S = 10;
/** A promoted replica serves after the cluster's node timeout. It starts empty for us (decision 0008). */
const PROMOTION_S = 15;
const FAILED = { from: 600, until: 900 };
const WITHOUT_KAFKA = { from: 2_400, until: 2_460 };
const FEED = { at: 1_500, links: 20_000 };
const REVOKES_PER_SECOND = 20;
const KEEP_S = 86_400;

export interface Traffic {
  readonly visits: number;
  readonly redirectors: number;
  readonly links: number;
  readonly viralShare: number;
  readonly unknownShare: number;
}

/** The share of the link with this rank, by Zipf's law: the k-th link has 1/k of the visits of the first. */
const zipf = (rank: number, links: number) => Math.log1p(1 / rank) / Math.log(links + 1);

/** Ranks with the number of links that each stands for: the first ones alone, later ones in groups of 1 per cent. */
function* ranks(links: number): Generator<readonly [rank: number, count: number]> {
  for (let rank = 1; rank <= links; ) {
    const count = Math.min(Math.max(1, Math.floor(rank / 100)), links - rank + 1);
    yield [rank + (count - 1) / 2, count];
    rank += count;
  }
}

/** Look-ups a second of all redirectors: at Redis for each rank, and at PostgreSQL in all. */
export function lookUps({ visits, redirectors, links, viralShare, unknownShare }: Traffic) {
  const lifetime = MICRO_CACHE_MS / 1_000;
  const toLinks = visits * (1 - unknownShare);
  const byRank: { rank: number; count: number; redis: number }[] = [];
  let postgres = visits * unknownShare;
  let redis = visits * unknownShare;
  for (const [rank, count] of ranks(links)) {
    const share = (1 - viralShare) * zipf(rank, links) + (rank === 1 ? viralShare : 0);
    const perRedirector = (toLinks * share) / redirectors;
    const each = (redirectors * perRedirector) / (1 + perRedirector * lifetime);
    byRank.push({ rank, count, redis: each });
    redis += each * count;
    postgres += (each / (1 + each * KEEP_S)) * count; // Redis forgets a link after a day
  }
  return { redis, postgres, byRank };
}

/** A small generator (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Look-ups a second at each shard. The popular links fall on random shards, the rest evenly. */
export function byShard(traffic: Traffic, shards: number, random: () => number): number[] {
  const { redis, byRank } = lookUps(traffic);
  const loads = Array.from({ length: shards }, () => 0);
  let single = 0;
  for (const { redis: each } of byRank.filter(({ count }) => count === 1)) {
    loads[Math.floor(random() * shards)]! += each;
    single += each;
  }
  return loads.map((load) => load + (redis - single) / shards);
}

const trafficOf = ({ peak, redirectors }: { peak: number; redirectors: number }): Traffic => ({
  visits: peak,
  redirectors,
  links: LINKS,
  viralShare: VIRAL_SHARE,
  unknownShare: UNKNOWN_SHARE,
});

export function planOf(load: Load): Plan {
  const { redirectors } = planFor(load, 0);
  return planFor(load, lookUps(trafficOf({ ...load, redirectors })).redis);
}

/** The visits a second at which each part is full, least first. `lost` is the share of the machines that is away. */
export function limits(plan: Plan, lost = 0): (readonly [part: string, visits: number])[] {
  const remaining = 1 - lost;
  const perVisit = (need: (traffic: Traffic) => number, capacity: number) => {
    let [low, high] = [0, 1e9];
    for (let i = 0; i < 60; i++) {
      const peak = (low + high) / 2;
      const fits = need(trafficOf({ peak, redirectors: plan.redirectors * remaining })) <= capacity;
      [low, high] = fits ? [peak, high] : [low, peak];
    }
    return low;
  };
  const parts: [string, number][] = [
    ['redirectors', plan.redirectors * remaining * COSTS.redirects.value],
    // The busiest shard carries some 15 per cent more than the average.
    ['Redis', perVisit((traffic) => lookUps(traffic).redis * 1.15, plan.shards * COSTS.redisLookUps.value)],
    ['PostgreSQL', perVisit((traffic) => lookUps(traffic).postgres, COSTS.postgresReads.value)],
    ['Kafka', (plan.brokers * remaining * COSTS.brokerBytes.value) / (COSTS.kafkaBytes.value * (lost > 0 ? 2 : 3))],
    ['analytics-ingest', plan.ingest * remaining * COSTS.ingest.value],
    ['ClickHouse', plan.clickhouseShards * COSTS.inserts.value],
  ];
  return parts.sort(([, a], [, b]) => a - b);
}

/** Plays an hour. Backlogs are clicks: on redirectors' disks, and in Kafka before ClickHouse. */
export function play(plan: Plan, random: () => number) {
  const normal = trafficOf(plan);
  let [onDisks, onLostDisks, inKafka, unanswered, stored] = [0, 0, 0, 0, 0];
  const most = { onDisks: 0, inKafka: 0, postgres: 0 };
  const drained = { disks: 0, kafka: 0, lost: 0 };
  const revokes: number[] = [];
  let flagged = 0;
  for (let second = 0; second < SECONDS; second++) {
    const isFailed = second >= FAILED.from && second < FAILED.until;
    const isPromoting = isFailed && second < FAILED.from + PROMOTION_S;
    const isKafkaAway = second >= WITHOUT_KAFKA.from && second < WITHOUT_KAFKA.until;
    const redirectors = plan.redirectors * (isFailed ? 1 - 1 / REGIONS : 1);
    // The region fails at the end of this second: it answered, and its clicks wait on disks that nobody reaches.
    if (second === FAILED.from) onLostDisks = plan.peak / REGIONS;
    const lostVisits = isFailed && second < FAILED.from + REROUTE_S ? plan.peak / REGIONS : 0;
    const visits = plan.peak - lostVisits;
    unanswered += second === FAILED.from ? 0 : lostVisits;
    if (isPromoting) {
      const { redis, postgres } = lookUps({ ...normal, visits, redirectors });
      most.postgres = Math.max(most.postgres, postgres + redis / REGIONS);
    }
    const shipped = isKafkaAway ? 0 : Math.min(onDisks + visits, redirectors * COSTS.shipping.value);
    onDisks += visits - shipped;
    let arrived = shipped;
    if (second === FAILED.until) {
      arrived += onLostDisks;
      drained.lost = second - FAILED.from;
      onLostDisks = 0;
    }
    const ingest = plan.ingest * (isFailed ? 1 - 1 / REGIONS : 1) * COSTS.ingest.value;
    const inserted = Math.min(inKafka + arrived, ingest, plan.clickhouseShards * COSTS.inserts.value);
    inKafka += arrived - inserted;
    stored += inserted;
    most.onDisks = Math.max(most.onDisks, onDisks);
    most.inKafka = Math.max(most.inKafka, inKafka);
    if (onDisks < 1 && most.onDisks > 0 && drained.disks === 0) drained.disks = second + 1 - WITHOUT_KAFKA.until;
    if (second >= FAILED.until && inKafka < 1 && drained.kafka === 0) drained.kafka = second - FAILED.until;
    if (second >= FEED.at && flagged < FEED.links) flagged += COSTS.flags.value;
    for (let i = 0; i < REVOKES_PER_SECOND; i++) {
      const hasGeneration = isPromoting && random() < 1 / REGIONS;
      revokes.push(MICRO_CACHE_MS + (hasGeneration ? GENERATION_LIFETIME_MS + 60 : 0) + random() * 10);
    }
  }
  revokes.sort((a, b) => a - b);
  const counted = stored + inKafka + onDisks + onLostDisks;
  return {
    unanswered,
    most,
    drained,
    revokes,
    counted,
    visits: plan.peak * SECONDS,
    feedS: FEED.links / COSTS.flags.value,
  };
}

const LOADS: readonly Load[] = [
  { peak: 20_000, clicks: 1e9 },
  { peak: 200_000, clicks: 10e9 },
  { peak: 1_000_000, clicks: 100e9 },
];
const short = (value: number, unit = '') => {
  const [divisor, prefix] = (
    [
      [1e12, 'T'],
      [1e9, 'G'],
      [1e6, 'M'],
      [1e3, 'k'],
    ] as const
  ).find(([d]) => value >= d) ?? [1, ''];
  return `${Number((value / divisor).toPrecision(2))} ${prefix}${unit}`.trim();
};
const per = (value: number, unit = '') => `${short(value, unit)}/s`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');

/** The generated parts of deploy/size.md, in order. */
export function sizeTables(): string[] {
  const plans = LOADS.map(planOf);
  const row = (what: string, formula: string, cell: (plan: Plan) => string) => [what, formula, ...plans.map(cell)];
  const traffic = (plan: Plan) => lookUps(trafficOf(plan));
  const [, , largest] = plans;
  const random = seeded(1);
  const costs = Object.values<Cost>(COSTS).map((cost) => [
    cost.what,
    short(cost.value, cost.unit.replace('/s', '')) + (cost.unit.endsWith('/s') ? '/s' : ''),
    cost.measured ?? 'assumed',
  ]);
  return [
    table(['What', 'Plan with', 'Measured'], costs),
    table(
      ['', 'Formula', ...plans.map(({ peak, clicks }) => `${per(peak)} peak, ${short(clicks)} clicks`)],
      [
        row('redirectors', 'peak / 20 k, + 20 %, at least 3', ({ redirectors }) => `${redirectors}`),
        row('their network, in and out', 'peak x 1 KB', ({ peak }) => per(peak * 1_000, 'B')),
        row(
          'click log per redirector, for an hour without Kafka',
          'share of the peak x 280 B x 3,600 s',
          ({ peak, redirectors }) => short((peak / redirectors) * COSTS.logBytes.value * 3_600, 'B'),
        ),
        row('look-ups at Redis', 'simulated', (plan) => per(traffic(plan).redis)),
        row('Redis masters, each with a replica', 'look-ups / 50 k; one, or at least 3', ({ shards }) => `${shards}`),
        row('look-ups at PostgreSQL', 'simulated', (plan) => per(traffic(plan).postgres)),
        row('into Kafka, with three copies', 'peak x 350 B x 3', ({ peak }) =>
          per(peak * COSTS.kafkaBytes.value * 3, 'B'),
        ),
        row('brokers', 'that / 100 MB, + 1, at least 3', ({ brokers }) => `${brokers}`),
        row('written by each broker', '', ({ peak, brokers }) =>
          per((peak * COSTS.kafkaBytes.value * 3) / brokers, 'B'),
        ),
        row('partitions of `clicks`', 'ingest x 3, a multiple of the brokers', ({ partitions }) => `${partitions}`),
        row('ingest processes', 'peak / 50 k, + 20 %', ({ ingest }) => `${ingest}`),
        row('disk in Kafka, 7 days, 3 copies', 'clicks / 100 x 7 x 1,050 B', ({ clicks }) =>
          short((clicks / 100) * 7 * COSTS.kafkaBytes.value * 3, 'B'),
        ),
        row(
          'ClickHouse shards, of 2 replicas',
          'peak / 200 k, + 20 %',
          ({ clickhouseShards }) => `${clickhouseShards}`,
        ),
        row('disk in ClickHouse, one replica', 'clicks x 38 B', ({ clicks }) =>
          short(clicks * COSTS.rowBytes.value, 'B'),
        ),
      ],
    ),
    table(
      [
        'Full at visits a second',
        ...LOADS.map(({ peak }) => `planned for ${per(peak)}`),
        `${per(largest!.peak)}, a region away`,
      ],
      [0, 1, 2].map((place) => [
        ['first', 'second', 'third'][place]!,
        ...[...plans.map((plan) => limits(plan)), limits(largest!, 1 / REGIONS)].map(
          (all) => `${all[place]![0]}, ${per(all[place]![1])}`,
        ),
      ]),
    ),
    report(largest!, random)
      .map((line) => `- ${line}\n`)
      .join(''),
  ];
}

function report(plan: Plan, random: () => number): string[] {
  const shards = byShard(trafficOf(plan), plan.shards, random).sort((a, b) => a - b);
  const { unanswered, most, drained, revokes, counted, visits, feedS } = play(plan, random);
  const at = (share: number) => `${(revokes[Math.floor(revokes.length * share)]! / 1_000).toFixed(2)} s`;
  return [
    `look-ups at each of ${plan.shards} Redis masters: ${per(shards[0]!)} to ${per(shards.at(-1)!)}`,
    `a region away for ${FAILED.until - FAILED.from} s: ${short(unanswered)} visits unanswered in the ${REROUTE_S} s until they go elsewhere; the others answer ${per(plan.peak / (plan.redirectors * (1 - 1 / REGIONS)))} each`,
    `while replicas of Redis are promoted: ${per(most.postgres)} look-ups at PostgreSQL, of ${per(COSTS.postgresReads.value)}`,
    `clicks in Kafka before ClickHouse then: ${short(most.inKafka)}, ${short(most.inKafka * COSTS.kafkaBytes.value, 'B')}; stored ${drained.kafka} s after the region is back`,
    `Kafka away for ${WITHOUT_KAFKA.until - WITHOUT_KAFKA.from} s: ${short(most.onDisks)} clicks on disks, ${short((most.onDisks * COSTS.logBytes.value) / plan.redirectors, 'B')} per redirector; sent ${drained.disks} s after it is back`,
    `clicks that only the lost region's disks had: counted ${drained.lost} s late`,
    `visits answered and not counted: ${Math.round(visits - unanswered - counted)}`,
    `a revoke is answered, and holds, after ${at(0.5)} (median), at most ${at(1 - 1e-9)}`,
    `a feed that lists ${short(FEED.links)} active links: all flagged after ${feedS.toFixed(0)} s`,
  ];
}

if (import.meta.main) {
  const { optionsOf } = await import('./lib/options.ts');
  const options = optionsOf({ visits: '1000000', seed: '1', check: '' });
  const plan = planOf({ peak: Number(options.visits), clicks: Number(options.visits) * 1e5 });
  for (const line of report(plan, seeded(Number(options.seed)))) console.log(line);
  for (const [name, lost] of Object.entries({ 'all machines': 0, 'a region away': 1 / REGIONS }))
    for (const [part, visits] of limits(plan, lost)) console.log(`${name}: ${part} is full at ${per(visits)} visits`);
  if (options.check !== '') await (await import('./lib/check-simulation.ts')).checkSimulation(lookUps);
}
