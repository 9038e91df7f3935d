/** Runs steady visitors (`steady-visitors.ts`) in a separate process while other work runs. */
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Seen } from './steady-visitors.ts';

export interface Visitors {
  during(work: () => Promise<unknown>): Promise<Seen>;
  stop(): Promise<void>;
}

export function startVisitors(redirect: string, perSecond: number, slugs: readonly string[]): Visitors {
  const file = path.join(import.meta.dirname, 'steady-visitors.ts');
  const child: ChildProcess = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', file, new URL(redirect).host, String(perSecond), ...slugs],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  process.once('exit', () => child.kill('SIGKILL'));
  const answers = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  return {
    async during(work) {
      child.stdin!.write('begin\n');
      await work();
      child.stdin!.write('end\n');
      return JSON.parse(String((await answers.next()).value));
    },
    async stop() {
      child.stdin!.end();
      await new Promise((resolve) => child.once('exit', resolve));
    },
  };
}
