/** Compares predictions of `bench/simulate.ts` with the real processes: two redirectors with a hundredth of the load. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { lookUps } from '../simulate.ts';
import { COSTS } from './costs.ts';
import { flood } from './flood.ts';
import { atLeast, atMost, figure } from './goals.ts';
import { makeLinks, runOn, startProduct } from './product.ts';

process.env.WAYPOST_TEST_TARGET = 'stack';

const LINKS = 10_000;
const SECONDS = 15;
const VIRAL_SHARE = 0.1;
/** Two times 32 connections that wait 5 ms before each request send some 10,000 a second. */
const LOAD = { connections: 32, delayMs: 5 };

/** `predict` is passed in, because the simulation waits for this module. */
export async function checkSimulation(predict: typeof lookUps): Promise<never> {
  const product = await startProduct();
  return runOn(product, async () => {
    const line = product
      .output()
      .split('\n')
      .find((each) => each.startsWith('{"api"'))!;
    const { redirectors, engines } = JSON.parse(line) as {
      redirectors: string[];
      engines: { name: string; port: number }[];
    };
    const { access } = JSON.parse(readFileSync(path.join(product.dataDir, 'stack.json'), 'utf8'));
    const { port: redisPort } = engines.find(({ name }) => name === 'Redis')!;
    const redis = (...command: string[]) =>
      execFileSync('redis-cli', ['-p', String(redisPort), ...command], {
        encoding: 'utf8',
        env: { ...process.env, REDISCLI_AUTH: new URL(access.redirector.REDIS_URL).password },
      }).trim();
    const reads = () => Number(/cmdstat_mget:calls=(\d+)/.exec(redis('INFO', 'commandstats'))?.[1] ?? 0);
    const topic = path.join(product.dataDir, 'kafka');
    const bytesInKafka = () =>
      Number(
        execFileSync('sh', ['-c', 'cat $(find "$0" -path "*/clicks-*" -name "*.log") | wc -c', topic], {
          encoding: 'utf8',
        }),
      );
    const atRest = async <T>(read: () => T): Promise<T> => {
      for (let before = read(); ; before = read()) {
        await pause(3_000);
        if (read() === before) return before;
      }
    };

    const slugs = await makeLinks(product.call, LINKS);
    await atRest(bytesInKafka);
    const before = { reads: reads(), bytes: bytesInKafka() };
    const floods = await Promise.all(
      redirectors.map((url, i) =>
        flood({
          ...LOAD,
          url,
          seconds: SECONDS,
          slugs,
          request: `"GET /" .. slugs[pick()] .. rest
end
math.randomseed(${i + 1})
pick = function()
  if math.random() < ${VIRAL_SHARE} then return 1 end
  return math.floor((${LINKS} + 1) ^ math.random())`,
          rest: ' HTTP/1.1\r\nHost: localhost\r\nUser-Agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36\r\nReferer: https://news.example.com/2026/11/story?id=7\r\n\r\n',
        }),
      ),
    );
    const read = (reads() - before.reads) / SECONDS;
    const answers = floods.reduce((sum, one) => sum + one.answers, 0);
    const visits = answers / SECONDS;
    const bytes = (await atRest(bytesInKafka)) - before.bytes;
    const traffic = { visits, redirectors: redirectors.length, links: LINKS, viralShare: VIRAL_SHARE, unknownShare: 0 };
    figure(
      'errors',
      floods.reduce((sum, one) => sum + one.errors + one.broken, 0),
      '',
      atMost(0),
    );
    figure('visits', visits, 'a second');
    compare('look-ups at Redis', predict(traffic).redis, read, 'a second');
    compare('bytes in Kafka', COSTS.kafkaBytes.value * answers, bytes, 'B');
    figure('bytes in Kafka per click', bytes / answers, 'B');
    const key = redis('RANDOMKEY');
    figure('memory of a link in Redis', Number(redis('MEMORY', 'USAGE', key)), 'B', atMost(COSTS.redisBytes.value));
    const pipelined = redis('INFO', 'commandstats').match(
      /cmdstat_mget:calls=\d+,usec=\d+,usec_per_call=([\d.]+)/,
    )?.[1];
    figure('Redis: its own time per look-up', Number(pipelined), 'us');
  });
}

function compare(what: string, predicted: number, real: number, unit: string): void {
  figure(`${what}, predicted`, predicted, unit);
  figure(`${what}, real`, real, unit);
  const ratio = predicted / real;
  figure(`${what}, predicted / real`, ratio, '', atLeast(0.75));
  figure(`${what}, error`, Math.abs(ratio - 1) * 100, '%', atMost(25));
}
