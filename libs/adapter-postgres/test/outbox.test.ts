import { describe, expect, test } from '@jest/globals';
import { revoked } from '@waypost/domain';
import type { OutboxRow } from '@waypost/ports';
import { inSpan, startTracing, traceIdOf } from '@waypost/service-kit';
import { asking, creating, NOON, newOwner, newSlug, pause, until } from '../../ports/src/contract/links-under-test.ts';
import { outboxContract } from '../../ports/src/contract/outbox.contract.ts';
import { postgresAccounts, postgresLinkStore, postgresOutbox } from '../src/index.ts';
import { connectTo, newDatabase } from './empty-database.ts';

const LIMIT = { creationsPerHour: 300 };

outboxContract('PostgreSQL', async () => {
  const database = await newDatabase();
  const replica = async () => {
    const db = await connectTo(database);
    return { db, links: creating(postgresLinkStore(db, LIMIT)), outbox: postgresOutbox(db, () => undefined) };
  };
  const replicas = [await replica(), await replica()] as const;
  return { accounts: postgresAccounts(replicas[0].db), replicas, pollMs: 1_000 };
});

describe('The outbox on PostgreSQL', () => {
  async function open() {
    const db = await connectTo(await newDatabase());
    const accounts = postgresAccounts(db);
    const links = creating(postgresLinkStore(db, LIMIT));
    const errors: unknown[] = [];
    const create = async () => {
      const slug = newSlug();
      await links.create(asking(await newOwner({ accounts }), { slug }), NOON);
      return slug;
    };
    return { db, errors, create, outbox: postgresOutbox(db, (error) => errors.push(error)) };
  }

  test('goes on when the server cuts the leader off, and tells of it', async () => {
    const { db, errors, create, outbox } = await open();
    const seen: string[] = [];
    const draining = await outbox.drain(async (rows) => {
      seen.push(...rows.map(({ key }) => key));
    });
    const first = await create();
    await until(() => seen.includes(first));
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

  test('an event keeps the trace of what made it, creation or change', async () => {
    const tracing = await startTracing('test', { otelExporterOtlpEndpoint: undefined, otelTracesSamplerArg: 1 });
    const { db, create, outbox } = await open();
    const parents = [1, 2].map((n) => `00-${String(n).repeat(32)}-${'a'.repeat(16)}-00`);
    const slug = await inSpan('create', parents[0], create);
    const links = creating(postgresLinkStore(db, LIMIT));
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

  test('leaves neither a lock nor a listener behind, however often its relay fails', async () => {
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

  test('asks a relay that fails again more and more rarely', async () => {
    const { errors, create, outbox } = await open();
    const at: number[] = [];
    await create();
    const draining = await outbox.drain(async () => {
      at.push(performance.now());
      throw new Error('the bus is away');
    });
    await until(() => at.length === 4);
    await draining.stop();
    // The pauses are 400, 800 and 1600 ms, each shortened by up to a half at random.
    expect(at[3]! - at[0]!).toBeGreaterThan(1_350);
    expect(at[3]! - at[2]!).toBeGreaterThan(750);
    expect(errors).toHaveLength(4);
  });
});
