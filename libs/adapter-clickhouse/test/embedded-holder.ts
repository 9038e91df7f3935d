/** embedded.test.ts runs this program in a separate process. It opens a folder and then does the given task. */
import { Worker } from 'node:worker_threads';
import { startEmbeddedClickHouse } from '@waypost/adapter-embedded';
import { clickhouseClickSink, clickhouseClickStats, prepareClickHouse } from '../src/index.ts';
import { clickAt, linkOf, range7 } from './some-clicks.ts';

const [folder, task] = process.argv.slice(2);
try {
  const { client, stop } = await startEmbeddedClickHouse(folder!);
  await prepareClickHouse(client, 'waypost');
  const sink = clickhouseClickSink(client, 'waypost');
  const report = (fact: object) => process.stdout.write(`${JSON.stringify(fact)}\n`);

  if (task === 'store-until-killed') {
    // The test reads the last printed count. At least that many clicks must be stored after it kills this process.
    for (let stored = 0; ; ) {
      await sink.store(Array.from({ length: 200 }, () => clickAt('killed', Date.now())));
      stored += 200;
      report({ stored });
    }
  }
  if (task === 'count') {
    const stats = clickhouseClickStats(client, 'waypost');
    const { total_clicks } = await stats.figures(linkOf('killed'), range7(), 'include');
    report({ total_clicks });
    await stop();
  }
  if (task === 'stop-while-busy') {
    const slow = client.query({ query: 'SELECT sleep(1)', format: 'JSONEachRow' }).then((result) => result.text());
    const storing = sink.store(Array.from({ length: 5_000 }, () => clickAt('busy', Date.now())));
    const waiting = Array.from({ length: 20 }, () => sink.store([clickAt('busy', Date.now())]));
    const settled = Promise.allSettled([slow, storing, ...waiting]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await stop();
    const [first, second, ...others] = (await settled).map(({ status }) => status);
    const late = await sink.store([clickAt('late', Date.now())]).then(
      () => 'stored',
      (error: { code?: string }) => error.code,
    );
    report({ first, second, settled: others.length, late });
  }
  if (task === 'give-up') {
    // Only three statements run at once. The others wait, and the test aborts them while they wait.
    const query = (sql: string, signal?: AbortSignal) =>
      client
        .query({ query: sql, format: 'JSONEachRow', ...(signal && { abort_signal: signal }) })
        .then((result) => result.text());
    const busy = Array.from({ length: 3 }, () => query('SELECT sleep(1.5)'));
    const stats = clickhouseClickStats(client, 'waypost');
    const leaving = new AbortController();
    const range = { from: '2026-01-01', to: '2026-01-07' };
    const queries = Array.from({ length: 90 }, () => stats.figures(linkOf('x'), range, 'include', leaving.signal));
    const marked = query('SELECT sleep(3)', leaving.signal);
    const many = Array.from({ length: 50 }, () => stats.figures(linkOf('x'), range, 'include', leaving.signal));
    const outcome = async (work: Promise<unknown>) => {
      const began = performance.now();
      const name = await work.then(
        () => 'answered',
        (error: { code?: string }) => error.code ?? 'given up',
      );
      return { name, ms: performance.now() - began };
    };
    const outcomes = Promise.all([...many, ...queries].map(outcome));
    const markedOutcome = outcome(marked);
    await new Promise((resolve) => setTimeout(resolve, 100));
    leaving.abort();
    const names = (await outcomes).map(({ name }) => name);
    const slowest = Math.max(...(await outcomes).map(({ ms }) => ms));
    await Promise.all([...busy, markedOutcome]);
    const began = performance.now();
    await stats.figures(linkOf('x'), range, 'include');
    report({ names: [...new Set(names)], quick: slowest < 1_400, nextMs: performance.now() - began });
    // The caller aborts a running statement, which keeps its slot until it ends.
    const running = new AbortController();
    const runs = outcome(query('SELECT sleep(3)', running.signal));
    setTimeout(() => running.abort(), 100);
    const { ms } = await runs;
    report({ leftAfterMs: ms });
    await stop();
  }
  if (task === 'threads-that-end') {
    for (let round = 0; round < 2; round++) {
      const slow = client.query({ query: 'SELECT sleep(0.3) AS done', format: 'JSONEachRow' });
      const thread = new Worker(`import(${JSON.stringify(import.meta.resolve('@waypost/adapter-embedded'))})`, {
        eval: true,
      });
      await new Promise((resolve) => thread.once('exit', resolve));
      await sink.store([clickAt('threads', Date.now())]);
      report({ round, rows: await slow.then((result) => result.json()) });
    }
    await stop();
  }
} catch (error) {
  process.stdout.write(`${JSON.stringify({ error: (error as Error).message })}\n`);
  process.exitCode = 3;
}
