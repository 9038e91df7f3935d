import { parentPort, workerData } from 'node:worker_threads';
import { callsOver } from '@waypost/process';
import { pageInspector } from './inspector.ts';
import type { InspectorSettings } from './settings.ts';

const inspector = pageInspector(workerData as InspectorSettings);
callsOver(parentPort!, {
  inspect: ({ url, withinMs }: { url: string; withinMs: number }) => inspector.inspect(url, withinMs),
});
