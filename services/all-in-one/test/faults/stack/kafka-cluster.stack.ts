/**
 * Breaks brokers of a Kafka with three, under load (docs/failure-matrix.md). Every request is observed, from before the
 * fault until after the recovery. With MATRIX_ROWS=few only one fault is tested.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { prepareTopics } from '@waypost/adapter-kafka';
import { withAdmin } from '@waypost/adapter-kafka/under-test';
import { databaseAddress, openDatabase } from '@waypost/postgres';
import { pause, until } from '@waypost/test-support';
import { clicksOf, comesTo, freshHost, importFeed, metricOf, newSlug, newSlugs } from '../../support.ts';
import { allLinks, type Creation, checkCreations, checkEvents } from './effects.ts';
import { startLoad } from './load.ts';
import { stackUnderTest } from './stack-under-test.ts';

const VISITS_PER_SECOND = 200;
const CREATION_EVERY_MS = 100;
/** A client of the API gets an answer within this time (docs/failure-matrix.md). */
const CLIENT_WITHIN_MS = 5_000;
const BACK_WITHIN_MS = 60_000;

const { stack, api } = stackUnderTest({}, '--cluster');
let db: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  const address = databaseAddress(stack.access['link-api'].DATABASE_URL!);
  db = await openDatabase({ ...address, poolSize: 2, onIdleError: () => undefined });
});
afterAll(() => db?.close().catch(() => undefined));

type Broker = `Kafka-${1 | 2 | 3}`;
const BROKERS: readonly Broker[] = ['Kafka-1', 'Kafka-2', 'Kafka-3'];
const dataOf = (broker: Broker) => path.join(stack.waypost.dataDir, 'kafka-cluster', broker.slice(-1), 'data');

const partitions = () =>
  withAdmin(stack.kafka, async (admin) => {
    const { topics } = await admin.fetchTopicMetadata();
    return topics.flatMap((topic) => topic.partitions.map((partition) => ({ topic: topic.name, ...partition })));
  });

/** Resolves to the brokers, the leader of most partitions first. */
async function byLeadership(): Promise<Broker[]> {
  const leaders = (await partitions()).map(({ leader }) => `Kafka-${leader}`);
  const led = (broker: Broker) => leaders.filter((leader) => leader === broker).length;
  return [...BROKERS].sort((one, other) => led(other) - led(one));
}

const inSync = async () => (await partitions()).every(({ isr, leader }) => isr.length === 3 && leader > 0);

/** Kafka tells clients any broker in place of the controller, so this reads what a broker has stored. */
function controller(): Broker {
  const file = path.join(dataOf('Kafka-1'), '__cluster_metadata-0', 'quorum-state');
  return `Kafka-${JSON.parse(fs.readFileSync(file, 'utf8')).leaderId as 1 | 2 | 3}`;
}

async function kill(...brokers: readonly Broker[]): Promise<() => void> {
  for (const broker of brokers) stack.kill(broker);
  return () => {
    for (const broker of brokers) stack.letStart(broker);
  };
}

interface Row {
  readonly fault: string;
  /** Begins the fault. Resolves to what ends it. */
  readonly begin: () => Promise<() => void>;
  /** True if clicks and events wait until the fault is over. */
  readonly waits?: boolean;
}

const ROWS: readonly Row[] = [
  { fault: 'the leader of most partitions is killed', begin: async () => kill((await byLeadership())[0]!) },
  {
    fault: 'the leader of most partitions is frozen',
    async begin() {
      const [leader] = await byLeadership();
      stack.freeze(leader!);
      return () => stack.thaw(leader!);
    },
  },
  { fault: 'the active controller is killed', begin: () => kill(controller()) },
  {
    fault: 'the disk of a broker is full',
    async begin() {
      const [leader] = await byLeadership();
      const pid = stack.pid(leader!);
      stack.hold(leader!);
      // As on a full disk, no write succeeds that makes a file longer. Any user may set this limit.
      execFileSync('prlimit', ['--pid', String(pid), '--fsize=1']);
      await until(() => !fs.existsSync(`/proc/${pid}`), 30_000); // Kafka ends when it cannot write
      return () => stack.letStart(leader!);
    },
  },
  {
    fault: 'all brokers restart, one after the other',
    async begin() {
      for (const broker of BROKERS) {
        const before = stack.pid(broker);
        stack.restart(broker);
        await until(() => stack.pid(broker) !== before, BACK_WITHIN_MS);
        await until(() => inSync().catch(() => false), BACK_WITHIN_MS);
      }
      return () => undefined;
    },
  },
  {
    fault: 'two brokers are killed',
    waits: true,
    begin: async () => kill(...(await byLeadership()).slice(0, 2)),
  },
];

test('prepare makes three copies of which two acknowledge, also through one address, and reports fewer', async () => {
  const [first] = stack.kafka.brokers;
  const connection = { ...stack.kafka, brokers: [first!], clientId: 'test' };
  const prepare = async () => (await prepareTopics({ ...connection, prefix: 'one.' })).warnings;
  await prepare();
  const copies = async () => {
    const ours = (await partitions()).filter(({ topic }) => /^(one\.)?(links|clicks|verdicts)/.test(topic));
    return ours.map(({ replicas }) => replicas.length);
  };
  // Each broker learns of topics and settings a moment later than the controller.
  await comesTo(copies, Array(2 * (6 + 12 + 6 + 3)).fill(3));
  await withAdmin(stack.kafka, async (admin) => {
    const configEntries = [{ name: 'min.insync.replicas', value: '1' }];
    await admin.alterConfigs({ validateOnly: false, resources: [{ type: 2, name: 'one.links', configEntries }] });
  });
  await comesTo(prepare, ['one.links has min.insync.replicas=1, not 2']);
});

/** Creates links until it stops, each with its own key, and notes every answer. */
function startCreations() {
  const creations: Creation[] = [];
  const failedAt: number[] = [];
  const times: number[] = [];
  let running = true;
  const open = new Set<Promise<void>>();
  const create = async () => {
    const creation: Creation = {
      destinations: [`https://www.wikipedia.org/wiki/${crypto.randomUUID()}`],
      key: crypto.randomUUID(),
      answer: undefined,
    };
    creations.push(creation);
    const began = performance.now();
    const body = { destination_url: creation.destinations[0] };
    creation.answer = await api('POST', '/api/v1/links', body, { 'Idempotency-Key': creation.key! }).catch(
      () => undefined,
    );
    times.push(performance.now() - began);
    if (creation.answer?.status !== 201) failedAt.push(began, performance.now());
  };
  const ended = (async () => {
    while (running) {
      const one = create().finally(() => open.delete(one));
      open.add(one);
      await pause(CREATION_EVERY_MS);
    }
    await Promise.all(open);
  })();
  return {
    creations,
    slowestMs: () => Math.max(...times),
    failedForMs: () => (failedAt.length === 0 ? 0 : Math.max(...failedAt) - Math.min(...failedAt)),
    async stop() {
      running = false;
      await ended;
    },
  };
}

const since = (start: number) => `${((performance.now() - start) / 1_000).toFixed(1)} s`;
const chosen = process.env.MATRIX_ROWS === 'few' ? ROWS.slice(0, 1) : ROWS;

test.each(chosen.map((row) => [row.fault, row] as const))(
  '%s: all is answered, every click counts once, and every event arrives',
  async (_, { fault, begin, waits = false }) => {
    await stack.allReady(BACK_WITHIN_MS);
    await until(() => inSync().catch(() => false), BACK_WITHIN_MS);
    const host = freshHost('cluster');
    const early = await newSlug(api, { destination_url: `https://${host}/early` });
    const slugs = await newSlugs(api, 4);
    const load = startLoad(stack.redirect, slugs, VISITS_PER_SECOND);
    const creating = startCreations();
    const totals = async () => (await Promise.all(slugs.map((slug) => clicksOf(api, slug)))).reduce((a, b) => a + b);
    const arrive = async (clicks: number, late: string) => {
      const start = performance.now();
      await until(async () => (await totals()) >= clicks, BACK_WITHIN_MS);
      const clicksAfter = since(start);
      for (const slug of [early, late])
        await comesTo(() => api('GET', `/api/v1/links/${slug}`), { body: { status: 'flagged' } });
      return `clicks counted after ${clicksAfter}, listed links flagged after ${since(start)}`;
    };
    let arrived: string;
    try {
      await pause(1_000);
      const heal = await begin();
      try {
        // The link and the list that flags it travel through Kafka during the fault.
        const late = await newSlug(api, { destination_url: `https://${host}/late` });
        await importFeed(stack.waypost, `https://${host}/early\nhttps://${host}/late\n`);
        const clicks = load.answered();
        if (waits) {
          await pause(8_000);
          const unsent = await Promise.all(
            stack.services
              .filter(({ name }) => name.startsWith('redirector'))
              .map(({ internal }) => metricOf(internal, 'waypost_click_log_unsent_bytes')),
          );
          for (const bytes of unsent) expect(bytes).toBeGreaterThan(0);
          heal();
        }
        arrived = await arrive(clicks, late);
      } finally {
        heal();
      }
      await stack.allReady(BACK_WITHIN_MS);
      await until(() => inSync().catch(() => false), BACK_WITHIN_MS);
    } finally {
      await Promise.all([load.stop(), creating.stop()]);
    }
    const counted = comesTo(totals, load.answered(), BACK_WITHIN_MS);
    await counted;
    await pause(2_000); // a click that counts twice may do so later
    const total = await totals();
    const refused = creating.creations.filter(({ answer }) => answer?.status !== 201).length;
    process.stderr.write(
      `${fault}: ${load.answered()} redirects, others ${JSON.stringify(load.others())} for ` +
        `${Math.round(load.othersForMs())} ms; ${creating.creations.length} creations, ${refused} refused for ` +
        `${Math.round(creating.failedForMs())} ms, slowest ${Math.round(creating.slowestMs())} ms; ` +
        `${total - load.answered()} clicks lost or doubled; ${arrived}\n`,
    );
    expect(load.others()).toEqual({});
    expect(refused).toBe(0);
    expect(creating.slowestMs()).toBeLessThan(CLIENT_WITHIN_MS);
    expect(total).toBe(load.answered());
    const links = await allLinks(api);
    expect(checkCreations(creating.creations, links)).toEqual([]);
    expect(await checkEvents(stack.kafka, db, links)).toEqual([]);
  },
  300_000,
);
