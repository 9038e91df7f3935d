import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { answersOn, type Engine, freePort, startEngine, startProgram } from './engine.ts';

const FRONT = fileURLToPath(new URL('../../libs/adapter-clickhouse/test/chdb-http-front.mjs', import.meta.url));

export interface ClickHouseFrontOptions {
  readonly dir: string;
  readonly port?: number;
  /** The path of a configuration file of ClickHouse. */
  readonly config?: string;
  /** If absent, the front requires no authentication. */
  readonly users?: Readonly<
    Record<string, { readonly password: string; readonly may: 'all' | 'insert' | 'read' | 'purge' }>
  >;
}

/**
 * Starts ClickHouse's engine (chDB) behind a small HTTP front, so that several processes can share it. It is a test
 * tool, because no package has a usable ClickHouse server. Production runs ClickHouse itself (deploy/).
 */
export async function startClickHouseFront(options: ClickHouseFrontOptions): Promise<Engine> {
  const port = options.port ?? (await freePort());
  const dir = path.resolve(options.dir);
  fs.mkdirSync(dir, { recursive: true });
  return startEngine({
    name: 'ClickHouse front',
    port,
    start: () =>
      startProgram({
        name: 'ClickHouse front',
        command: process.execPath,
        args: [FRONT, path.join(dir, 'data'), String(port)],
        env: {
          ...process.env,
          NODE_OPTIONS: '',
          UV_THREADPOOL_SIZE: '16',
          ...(options.config !== undefined && { FRONT_CONFIG: options.config }),
          ...(options.users !== undefined && { FRONT_USERS: JSON.stringify(options.users) }),
        },
        logFile: path.join(dir, 'clickhouse-front.log'),
        isReady: () => answersOn(port, 'GET /ping HTTP/1.0\r\n\r\n', 'HTTP/1.1 200', 1_000),
        readyWithinMs: 30_000,
      }),
  });
}
