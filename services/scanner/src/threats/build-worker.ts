import { parentPort, workerData } from 'node:worker_threads';
import { type BuildTask, buildGeneration } from './build-generation.ts';

const result = await buildGeneration(workerData as BuildTask);
parentPort!.postMessage(result, result.ok ? result.feeds.map(({ keys }) => keys.buffer) : []);
