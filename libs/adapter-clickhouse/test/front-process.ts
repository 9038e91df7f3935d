import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const FRONT = fileURLToPath(new URL('./chdb-http-front.mjs', import.meta.url));

export interface FrontProcess {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** The test front in a separate process, on a temporary folder. */
export async function startFront(): Promise<FrontProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'waypost-chdb-front-'));
  const child = spawn(process.execPath, [FRONT, folder, '0'], {
    env: { ...process.env, NODE_OPTIONS: '', UV_THREADPOOL_SIZE: '16' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const url = await Promise.race([
    firstAddress(child.stdout),
    exited.then(([code]) => Promise.reject(new Error(`the ClickHouse test front ended with code ${code}`))),
  ]);
  return {
    url,
    pid: child.pid!,
    async stop() {
      child.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function firstAddress(stdout: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stdout })) {
    const address = /^listening on (\S+)$/.exec(line)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error('the ClickHouse test front printed no address');
}
