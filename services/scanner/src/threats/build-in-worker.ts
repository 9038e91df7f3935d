import { Worker } from 'node:worker_threads';
import type { BuildResult, BuildTask } from './build-generation.ts';

/** A million entries take seconds. Imports wait for one another, so each has a time limit. */
const LONGEST_MS = 90_000;

/** One worker per build: imports are minutes apart, and the worker's end frees its memory. */
export function buildInWorker(task: BuildTask, longestMs = LONGEST_MS): Promise<BuildResult> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./build-worker.ts', import.meta.url), { workerData: task });
    const deadline = setTimeout(() => {
      resolve({ ok: false, problem: `took longer than ${longestMs / 1000} s to read`, badLines: [] });
      void worker.terminate();
    }, longestMs);
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => {
      clearTimeout(deadline);
      reject(new Error(`the build worker ended with code ${code} and no result`));
    });
  });
}
