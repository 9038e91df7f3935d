import { Worker } from 'node:worker_threads';
import type { BuildResult, BuildTask } from './build-generation.ts';

/** A worker for one build: imports are minutes apart, and its memory goes with it. */
export function buildInWorker(task: BuildTask): Promise<BuildResult> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./build-worker.ts', import.meta.url), { workerData: task });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the build worker ended with code ${code} and no result`)));
  });
}
