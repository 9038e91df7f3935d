/** The inspector in a thread, where all services share a process. The first call starts the thread. */
import { Worker } from 'node:worker_threads';
import type { Inspection, PageInspector } from '@waypost/ports';
import { type Calls, callsOver } from '@waypost/process';
import type { InspectorSettings } from './settings.ts';

/** Far more than a page of 64 KB needs. A thread that exceeds it ends, and the next call starts another. */
const HEAP_MB = 64;
const ON_THE_WAY_MS = 1_000;

export function inspectorThread(settings: InspectorSettings): PageInspector & { stop(): Promise<void> } {
  let running: { readonly worker: Worker; readonly calls: Calls } | undefined;

  function start() {
    const worker = new Worker(new URL('./inspector-worker.ts', import.meta.url), {
      workerData: settings,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    const calls = callsOver(worker, {});
    const started = { worker, calls };
    let why = new Error('the inspector thread stopped unexpectedly');
    worker.on('error', (error: Error) => {
      why = error;
    });
    worker.on('exit', () => {
      if (running === started) running = undefined;
      calls.end(why);
    });
    worker.unref();
    return started;
  }

  return {
    async inspect(url, withinMs) {
      running ??= start();
      return running.calls.call<Inspection>('inspect', { url, withinMs }, withinMs + ON_THE_WAY_MS);
    },
    async stop() {
      await running?.worker.terminate();
    },
  };
}
