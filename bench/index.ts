/**
 * Runs benchmarks, each in a separate process.
 *
 *   npm run bench                     lists the benchmarks
 *   npm run bench -- NAME [options]   runs one; exits with 1 if it missed a goal
 *   npm run bench -- all              runs one after the other
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const BENCHES: Readonly<Record<string, string>> = {
  redirect: 'redirects with capture beside a bare node:http server: the redirector alone',
  api: 'creations, bulks, lists of 100,000 links and analytics of two million clicks, beside a look-up by key',
  ingest: 'a click after its redirect, and a backlog on Kafka into ClickHouse beside a consumer that only reads it',
  scan: 'verdicts, bulks of 500, the event loop while a generation is swapped',
  hostile: 'the costliest requests, kind by kind, beside a steady 500 redirects a second',
  neighbours: 'what one account with webhooks, or strangers, can do to the other accounts',
  simulate: 'an hour of 60 redirectors and a million visits a second, from measured costs; --check yes compares it',
  overload: 'many times more requests than can be answered, and 5,000 connections: health, visitors, others, recovery',
};

const [name = '', ...options] = process.argv.slice(2);
if (name === 'all') for (const each of Object.keys(BENCHES)) run(each, []);
else if (Object.hasOwn(BENCHES, name)) run(name, options);
else {
  for (const [each, what] of Object.entries(BENCHES)) console.log(`npm run bench -- ${each}: ${what}`);
  process.exitCode = name === '' ? 0 : 2;
}

function run(each: string, args: readonly string[]): void {
  console.log(`== ${each}: ${BENCHES[each]}`);
  const file = fileURLToPath(new URL(`./${each}.ts`, import.meta.url));
  const { status } = spawnSync(process.execPath, [...process.execArgv, file, ...args], {
    stdio: 'inherit',
  });
  process.exitCode ||= status ?? 1;
}
