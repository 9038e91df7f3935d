import { parentPort, workerData } from 'node:worker_threads';
import { type BuildTask, buildGeneration } from './build-generation.ts';

const result = await buildGeneration(workerData as BuildTask);
const { keys, sets, buckets } = result.ok ? result.columns : {};
parentPort!.postMessage(
  result,
  [keys, sets, buckets].flatMap((column) => (column === undefined ? [] : [column.buffer])),
);
