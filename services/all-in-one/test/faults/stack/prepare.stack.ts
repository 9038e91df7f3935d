import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Engine, startClickHouseFront, startKafka, startPostgresServer } from '@waypost/engines';
import { createDatabase } from '@waypost/postgres';

const WAYPOST = fileURLToPath(new URL('../../../src/waypost.ts', import.meta.url));
const engines: Engine[] = [];
let dir: string;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-prepare-'));
  const [postgres, kafka, clickhouse] = await Promise.all([
    startPostgresServer({ dir: path.join(dir, 'postgres') }),
    startKafka({ dir: path.join(dir, 'kafka') }),
    startClickHouseFront({ dir: path.join(dir, 'clickhouse') }),
  ]);
  engines.push(postgres, kafka, clickhouse);
  await createDatabase({ host: '127.0.0.1', port: postgres.port, user: 'waypost' }, 'waypost');
  environment = {
    DATABASE_URL: `postgres://waypost@127.0.0.1:${postgres.port}/waypost`,
    KAFKA_BROKERS: `127.0.0.1:${kafka.port}`,
    CLICKHOUSE_URL: `http://127.0.0.1:${clickhouse.port}/waypost`,
  };
}, 300_000);
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.stop()));
  fs.rmSync(dir, { recursive: true, force: true });
}, 60_000);

const prepare = (env: NodeJS.ProcessEnv, ...more: string[]) =>
  promisify(execFile)(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', WAYPOST, 'admin', 'prepare', ...more],
    {
      env: { PATH: process.env.PATH, LOG_LEVEL: 'warn', ...env },
    },
  );

test('admin prepare creates what is missing, keeps what exists, and reports both', async () => {
  const topics = 'clicks, clicks.parked, links, links.parked, verdicts, verdicts.parked';
  const first = await prepare(environment);
  const report =
    /^Topics created: (.*)\. Existing: (.*)\.\nThe schemas of PostgreSQL and ClickHouse are up to date\.\n$/;
  const [, created, existing] = report.exec(first.stdout)!;
  expect([created!.split(', ').sort().join(', '), existing]).toEqual([topics, 'none']);
  const [, madeAgain, there] = report.exec((await prepare(environment)).stdout)!;
  expect([madeAgain, there!.split(', ').sort().join(', ')]).toEqual(['none', topics]);
  expect(first.stderr).toBe('');
  expect(JSON.parse((await prepare(environment, '--json')).stdout)).toEqual({
    created: [],
    existing: expect.arrayContaining(topics.split(', ')),
    warnings: [],
  });
}, 90_000);

test('admin prepare names every missing or wrong variable, and accepts no options', async () => {
  await expect(prepare({ KAFKA_BROKERS: 'a,,b', CLICKHOUSE_URL: 'here' })).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /DATABASE_URL is required[\s\S]*KAFKA_BROKERS|KAFKA_BROKERS[\s\S]*DATABASE_URL is required/,
    ),
  });
  await expect(prepare(environment, '--topics')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^error: unknown option '--topics'\nUsage: waypost admin prepare \[options\]\n/),
  });
}, 60_000);
