import { afterEach, describe, expect, test } from '@jest/globals';
import { cleared, flagged, type LinkEvent, revoked } from '@waypost/domain';
import type { OutboxRow } from '@waypost/ports';
import { inSpan, startTracing, traceIdOf } from '@waypost/telemetry';
import { pause, proxyTo, until, within } from '@waypost/test-support';
import { afterwards } from '@waypost/test-support/afterwards';
import { connectTo, newDatabase } from '@waypost/test-support/database';
import { asking, atNoon, drained, NOON, newOwner, newSlug, storesOn } from '../../test/stores.ts';
import { postgresOutbox } from './outbox.sql.ts';

/** The outbox polls at this interval unless a new row wakes it up earlier. */
const POLL_MS = 1_000;
/** The server ends the connection of a leader that sends nothing for this time. */
const SILENT_MS = 1.5 * POLL_MS;

const keys = (rows: readonly OutboxRow[]) => rows.map(({ key }) => key);

const database = await newDatabase();
const replicas = await Promise.all([1, 2].map(async () => storesOn(await connectTo(database), () => undefined)));

describe('committed rows are relayed in order, at least once, by one process at a time', () => {
  const outbox = (replica = 0) => replicas[replica]!.outbox;
  const links = (replica = 0) => replicas[replica]!.links;
  const running: { stop(): Promise<void> }[] = [];
  const drain = async (relay: (rows: readonly OutboxRow[]) => Promise<void>, replica = 0) => {
    const draining = await outbox(replica).drain(relay);
    running.push(draining);
    return draining;
  };
  afterEach(async () => {
    await Promise.all(running.splice(0).map((draining) => draining.stop()));
    await drained(outbox());
  });

  async function create(count = 1, replica = 0): Promise<string[]> {
    const ownerId = await newOwner(replicas[0]!, 500);
    const requests = Array.from({ length: count }, () => ({ slug: newSlug('o') }));
    await links(replica).create(asking(ownerId, ...requests), NOON);
    return requests.map(({ slug }) => slug);
  }
  const version = (row: OutboxRow) => (JSON.parse(row.value) as LinkEvent).version;

  test('reports how many rows wait, and for how long', async () => {
    expect(await outbox().backlog()).toEqual({ rows: 0, oldestMs: 0 });
    await create(3);
    await pause(30);
    await create(2);
    const { rows, oldestMs } = await outbox(1).backlog();
    expect(rows).toBe(5);
    expect(oldestMs).toBeGreaterThanOrEqual(25);
    expect(oldestMs).toBeLessThan(20_000);
  });

  test('relays more rows than one batch holds, in the order in which they were queued', async () => {
    const slugs = [...(await create(500)), ...(await create(500)), ...(await create(201))];
    // Rows of one transaction may come in any order, because their keys differ.
    const groups = (all: readonly string[]) =>
      [all.slice(0, 500), all.slice(500, 1000), all.slice(1000)].map((group) => group.toSorted());
    expect(groups(keys(await drained(outbox())))).toEqual(groups(slugs));
  });

  test('keeps the changes of each link in order while both processes change many links', async () => {
    const slugs = await create(6);
    const seen: OutboxRow[] = [];
    await drain(async (rows) => {
      seen.push(...rows);
      await pause(1);
    });
    const verdict = { threatType: 'scam', reasons: [], generation: 'g2' } as const;
    await Promise.all(
      slugs.flatMap((slug) =>
        Array.from({ length: 12 }, (_, i) =>
          links(i % 2).update(slug, (link) =>
            link.status === 'active' ? flagged(link, verdict, atNoon(i)) : cleared(link, atNoon(i)),
          ),
        ),
      ),
    );
    await until(() => seen.length >= 6 * 13);
    for (const slug of slugs) {
      const versions = seen.filter(({ key }) => key === slug).map(version);
      expect(versions).toEqual(Array.from({ length: 13 }, (_, i) => i + 1));
    }
  });

  test('repeats rows in the same order if their relay fails, then continues', async () => {
    const first = await create(3);
    const attempts: string[][] = [];
    await drain(async (rows) => {
      attempts.push(keys(rows));
      if (attempts.length === 1) await create();
      if (attempts.length <= 2) throw new Error('the bus is away');
    });
    await until(async () => attempts.length >= 3 && (await outbox().backlog()).rows === 0);
    expect(attempts[0]).toEqual(first);
    expect(attempts[1]!.slice(0, 3)).toEqual(first);
    expect(attempts[2]!.slice(0, 3)).toEqual(first);
    expect(attempts[2]).toHaveLength(4);
  });

  test('only one of two processes relays, and sends each row once if nothing fails', async () => {
    const seen: { by: number; key: string }[] = [];
    let busy = 0;
    let overlapped = false;
    for (const by of [0, 1]) {
      await drain(async (rows) => {
        busy++;
        overlapped ||= busy > 1;
        await pause(2);
        for (const { key } of rows) seen.push({ by, key });
        busy--;
      }, by);
    }
    const slugs: string[] = [];
    for (let i = 0; i < 20; i++) slugs.push(...(await create(2, i % 2)));
    await until(async () => (await outbox().backlog()).rows === 0);
    expect(overlapped).toBe(false);
    expect(seen.map(({ key }) => key).toSorted()).toEqual(slugs.toSorted());
    expect(new Set(seen.map(({ by }) => by)).size).toBe(1);
  });

  test('another process takes over when the leader stops, and relays the remaining rows', async () => {
    const seenBy: string[][] = [[], []];
    const leader = await drain(async (rows) => void seenBy[0]!.push(...keys(rows)));
    const [first] = await create();
    await until(() => seenBy[0]!.includes(first!));
    await drain(async (rows) => void seenBy[1]!.push(...keys(rows)), 1);
    await leader.stop();
    const [second] = await create();
    await until(() => seenBy[1]!.includes(second!));
    expect(seenBy[0]).toEqual([first]);
  });

  test('wakes up for a new row without waiting for the next poll', async () => {
    const seen: string[] = [];
    await drain(async (rows) => void seen.push(...keys(rows)));
    await pause(50);
    await within(3 * POLL_MS, async () => {
      for (let i = 0; i < 6; i++) {
        // A row from the other process must also wake this process up.
        const [slug] = await create(1, i % 2);
        await until(() => seen.includes(slug!));
      }
    });
  });

  test('wakes up for a row that was queued during a relay', async () => {
    const seen: string[] = [];
    let during: string[] = [];
    await drain(async (rows) => {
      seen.push(...keys(rows));
      if (rows.length === 0 || during.length > 0) return;
      during = await create();
      // The wake-up arrives during this pause, while nothing waits for it.
      await pause(POLL_MS / 5);
    });
    await within(4 * POLL_MS, async () => {
      for (let i = 0; i < 5; i++) {
        during = [];
        await create();
        await until(() => during.length > 0 && seen.includes(during[0]!));
      }
    });
  });

  test('stop waits until the running relay is acknowledged, and no other relay starts', async () => {
    let relays = 0;
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
    const draining = await drain(async () => {
      relays++;
      await finished;
    });
    await create();
    await until(() => relays === 1);
    let isStopped = false;
    const stopping = draining.stop().then(() => {
      isStopped = true;
    });
    await create();
    await pause(30);
    expect(isStopped).toBe(false);
    finish();
    await stopping;
    expect(relays).toBe(1);
    expect(await outbox().backlog()).toMatchObject({ rows: 1 });
  });
});

describe('the outbox', () => {
  type Database = Awaited<ReturnType<typeof connectTo>>;

  function creatingOneIn(stores: Pick<ReturnType<typeof storesOn>, 'accounts' | 'links'>): () => Promise<string> {
    return async () => {
      const slug = newSlug();
      await stores.links.create(asking(await newOwner(stores), { slug }), NOON);
      return slug;
    };
  }

  async function open() {
    const errors: unknown[] = [];
    const stores = storesOn(await connectTo(await newDatabase()), (error) => errors.push(error));
    return { ...stores, errors, create: creatingOneIn(stores) };
  }

  test('continues when the server disconnects the leader, and reports it', async () => {
    const { db, errors, create, outbox } = await open();
    const seen: string[] = [];
    const draining = await outbox.drain(async (rows) => void seen.push(...rows.map(({ key }) => key)));
    const first = await create();
    await until(() => seen.includes(first));
    // Otherwise this row may come again.
    await until(async () => (await outbox.backlog()).rows === 0);
    const cut = await db.query(
      `SELECT pg_terminate_backend(l.pid) FROM pg_locks l WHERE l.locktype = 'advisory' AND l.granted
       AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    expect(cut).toHaveLength(1);
    const second = await create();
    await until(() => seen.includes(second));
    await draining.stop();
    expect(seen).toEqual([first, second]);
    expect(errors.length).toBeLessThanOrEqual(1);
  });

  /** Runs the relay until the test ends. */
  async function draining(db: Database, relay: (rows: readonly OutboxRow[]) => Promise<void>): Promise<void> {
    const running = await postgresOutbox(db, () => undefined, SILENT_MS).drain(relay);
    afterwards(() => running.stop());
  }

  test('continues when the leader stops sending on an open connection', async () => {
    const database = await newDatabase();
    const { proxy, port, between } = await proxyTo(database);
    afterwards(() => proxy.close());
    const silent = await connectTo({ ...database, host: '127.0.0.1', port });
    afterwards(() => silent.close());
    const other = await connectTo(database);
    const create = creatingOneIn(storesOn(other));
    const seen: string[] = [];
    const see = async (rows: readonly OutboxRow[]) => void seen.push(...keys(rows));
    await draining(silent, see);
    const first = await create();
    await until(() => seen.includes(first));
    for (const socket of between) socket.pause();
    await draining(other, see);
    afterwards(() => {
      for (const socket of between) socket.resume();
    });
    const second = await create();
    await until(() => seen.includes(second));
  });

  test('keeps its leader during a long relay, so no other process relays the same rows', async () => {
    const database = await newDatabase();
    const replicas = [await connectTo(database), await connectTo(database)];
    const slug = await creatingOneIn(storesOn(replicas[0]!))();
    const relayed: string[] = [];
    for (const db of replicas)
      await draining(db, async (rows) => {
        relayed.push(...keys(rows));
        await pause(2 * SILENT_MS);
      });
    const { backlog } = postgresOutbox(replicas[0]!, () => undefined);
    await until(async () => (await backlog()).rows === 0);
    expect(relayed).toEqual([slug]);
  });

  test('keeps the trace of the creation or change that queued an event', async () => {
    const tracing = await startTracing('test', { otelExporterOtlpEndpoint: undefined, otelTracesSamplerArg: 1 });
    const { create, links, outbox } = await open();
    const parents = [1, 2].map((n) => `00-${String(n).repeat(32)}-${'a'.repeat(16)}-00`);
    const slug = await inSpan('create', parents[0], create);
    await inSpan('revoke', parents[1], () => links.update(slug, (link) => revoked(link, NOON)));
    const untraced = await create();
    await tracing.stop();
    const seen: OutboxRow[] = [];
    const draining = await outbox.drain(async (rows) => void seen.push(...rows));
    await until(() => seen.length === 3);
    await draining.stop();
    expect(seen.map(({ key, headers }) => [key, traceIdOf(headers?.traceparent)])).toEqual([
      [slug, '1'.repeat(32)],
      [slug, '2'.repeat(32)],
      [untraced, undefined],
    ]);
  });

  test('leaves no lock and no listener behind, even if its relay fails often', async () => {
    const { db, errors, create, outbox } = await open();
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    await create();
    for (let i = 0; i < 12; i++) {
      const before = errors.length;
      const draining = await outbox.drain(async () => {
        throw new Error('the bus is away');
      });
      await until(() => errors.length > before);
      await draining.stop();
    }
    await pause(0);
    process.off('warning', note);
    expect(warnings).toEqual([]);
    const locks = await db.query(
      `SELECT FROM pg_locks WHERE locktype = 'advisory'
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    expect(locks).toEqual([]);
    expect(await outbox.backlog()).toMatchObject({ rows: 1 });
  });
});
