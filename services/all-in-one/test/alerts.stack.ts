/** Each alert of deploy/chart/monitoring/alerts.yml fires when its fault is made, and none without a fault. */
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { inProcessBus } from '@waypost/adapter-embedded';
import { postgresLinkApiStores } from '@waypost/adapter-postgres';
import { createAnalyticsIngest, ingestMetrics } from '@waypost/analytics-ingest';
import { CLICKS, formatApiKey, LINKS, NO_ALLOWED_HOSTS, unavailable } from '@waypost/domain';
import { queueMetrics } from '@waypost/link-api';
import { createRedirector, type RedirectorDeps, redirectorMetrics } from '@waypost/redirector';
import { createScanner, providersFrom, registrableDomain, type ScannerDeps } from '@waypost/scanner';
import { createLogger, createMetrics, type Metrics } from '@waypost/telemetry';
import { pause, VISITOR_SETTINGS } from '@waypost/test-support';
import { afterwards, newFolder } from '@waypost/test-support/afterwards';
import { busMetrics } from '@waypost/typed-bus';
import { emptyDatabase } from '../../../libs/adapter-postgres/test/empty-database.ts';
import { promtool } from '../../../scripts/engines/promtool.mjs';
import { ALERTS, figureOf, firing, firingInPeace, type Scrape, scrape } from './alerts-under-test.ts';
import { product } from './product.ts';
import { eventually, listedUrl, newLink, newSlugs, signalDatabase, times, visit } from './support.ts';
import { freePorts } from './waypost-process.ts';

const { waypost, api, apiKey } = product({});
let peace: Scrape;
const fired: string[] = [];

beforeAll(async () => {
  const { slug } = await newLink(api);
  expect((await visit(waypost.redirect, `/${slug}`)).status).toBe(302);
  peace = await scrape(waypost.internal);
});

/** With three scrapes or more, all goes on as between the last two. */
async function expectFired(alert: string, ...scrapes: readonly Scrape[]): Promise<void> {
  expect([alert, await firing(scrapes, alert)]).toEqual([alert, { atFirst: false, atLast: true }]);
  fired.push(alert);
}
const logger = Object.assign(createLogger('alerts', 'error'), { silent: true });

test('promtool has nothing to say of /metrics, which has every metric of the rules and of the dashboard', async () => {
  const { text } = await visit(waypost.internal, '/metrics');
  expect(execFileSync(promtool(), ['check', 'metrics'], { input: text, encoding: 'utf8' })).toBe('');
  const folder = new URL('../../../deploy/chart/monitoring/', import.meta.url);
  const used = ['alerts.yml', 'dashboard.json'].map((file) => fs.readFileSync(new URL(file, folder), 'utf8')).join();
  const names = new Set(
    [...used.matchAll(/\b(?:waypost|process|nodejs)_[a-z0-9_]+/g)].map(([name]) => name.replace(/_bucket$/, '')),
  );
  expect(names.size).toBeGreaterThan(35);
  for (const name of names) expect(text).toContain(`\n# TYPE ${name} `);
});

test('none fires while all is well', async () => {
  expect(await firingInPeace(peace)).toEqual([]);
});

describe('a running product', () => {
  test('whose database is frozen', async () => {
    const before = await scrape(waypost.internal);
    const signal = signalDatabase(waypost.dataDir);
    signal('SIGSTOP');
    let frozen: Scrape;
    let answers: unknown[];
    try {
      const asked = [
        // With one key, they would share a look-up and its connection.
        ...times(45, () =>
          fetch(`${waypost.api}/api/v1/links`, {
            headers: { Authorization: `Bearer ${formatApiKey(randomBytes(32))}` },
          }),
        ),
        ...times(10, (i) => visit(waypost.redirect, `/unknown${i}`)),
      ];
      await pause(1_200); // health is asked once a second
      frozen = await scrape(waypost.internal);
      answers = await Promise.all(asked);
    } finally {
      signal('SIGCONT');
    }
    expect(answers).toHaveLength(55);
    const after = await scrape(waypost.internal);
    await expectFired('WaypostDependencyDown', before, frozen);
    await expectFired('WaypostDatabasePoolFull', before, frozen);
    for (const alert of ['WaypostApiFails', 'WaypostApiSlow', 'WaypostRedirectsFail', 'WaypostRedirectsSlow'])
      await expectFired(alert, before, before, after);
  });

  test('that sheds its load, whose answers are not among the others', async () => {
    const before = await scrape(waypost.internal);
    const signal = signalDatabase(waypost.dataDir);
    let shedding: Scrape;
    let asked: Promise<unknown>[] = [];
    try {
      signal('SIGSTOP');
      asked = times(560, () => api('GET', '/api/v1/links'));
      const shed = (now: Scrape) => figureOf(now, 'waypost_api_shed_requests_total');
      shedding = await eventually(
        () => scrape(waypost.internal),
        (now) => shed(now) > 20,
      );
    } finally {
      signal('SIGCONT');
    }
    await expectFired('WaypostApiFails', before, before, shedding);
    await Promise.all(asked);
  });

  test('whose keys somebody guesses, and whose links lead to threats', async () => {
    const before = await scrape(waypost.internal);
    const guesses = times(50, () =>
      fetch(`${waypost.api}/api/v1/links`, { headers: { Authorization: `${apiKey()}x` } }),
    );
    await Promise.all(guesses);
    await expectFired('WaypostManyRefusals', before, before, await scrape(waypost.internal));
    const destination_url = await listedUrl(waypost);
    await newSlugs(api, 12, () => ({ destination_url }));
    await expectFired('WaypostManyFlaggedLinks', before, await scrape(waypost.internal));
  });

  test('that has ended', async () => {
    await waypost.kill();
    await expectFired('WaypostDown', peace, await scrape(waypost.internal));
  });
});

describe('a redirector', () => {
  const refusing = { publishEncoded: () => Promise.reject(new Error('the bus is away')) };
  const accepting = { publishEncoded: async () => undefined };

  async function started(more: Partial<RedirectorDeps<{ readonly hangMs: number }>> = {}) {
    const [port] = await freePorts(1);
    const redirector = createRedirector({
      threads: 1,
      threadModule: new URL('../../redirector/test/visitor-thread.ts', import.meta.url),
      threadDependencies: [],
      own: { hangMs: 2_500 },
      host: '127.0.0.1',
      port: port!,
      bus: accepting,
      ...VISITOR_SETTINGS,
      clickLogDir: newFolder(),
      clickLogMaxBytes: 64 * 1024,
      logger,
      logLevel: 'error',
      now: Date.now,
      ...more,
    });
    const metrics = createMetrics();
    redirectorMetrics(metrics, redirector);
    await redirector.start();
    const stop = () => redirector.stop();
    afterwards(stop);
    const click = (count: number) => Promise.all(times(count, () => visit(`http://127.0.0.1:${port}`, '/abcDEF1')));
    return { metrics, click, stop, hang: () => visit(`http://127.0.0.1:${port}`, '/hangHG1') };
  }

  /** The shipper reads the log now and then: scrapes until this figure is more than 0. */
  const seen = (metrics: Metrics, name: string) =>
    eventually(
      () => scrape(metrics),
      (figures) => figureOf(figures, name) > 0,
      10_000,
    );

  test('whose clicks nobody takes', async () => {
    const late = { now: () => Date.now() + 600_000 };
    const { metrics, click } = await started({ bus: refusing, ...late });
    const before = await scrape(metrics);
    await click(200);
    const filling = await seen(metrics, 'waypost_click_log_oldest_unsent_age_seconds');
    await expectFired('WaypostClicksNotShipped', before, filling);
    await expectFired('WaypostClickLogHalfFull', before, filling);
    await click(300);
    await expectFired('WaypostClicksLost', before, await scrape(metrics));
  });

  test('whose disk takes no more', async () => {
    const clickLogDir = newFolder();
    const { metrics, click } = await started({ bus: refusing, clickLogDir });
    const before = await scrape(metrics);
    fs.rmSync(clickLogDir, { recursive: true });
    fs.writeFileSync(clickLogDir, '');
    for (let i = 0; i < 10; i += 1) await click(20);
    await expectFired('WaypostClicksHeldInMemory', before, await scrape(metrics));
  });

  test('whose click log was damaged', async () => {
    const clickLogDir = newFolder();
    const first = await started({ bus: refusing, clickLogDir });
    await first.click(20);
    const before = await scrape(first.metrics);
    await first.stop();
    const [segment] = fs
      .readdirSync(clickLogDir)
      .filter((name) => fs.statSync(path.join(clickLogDir, name)).size > 1_000);
    const file = fs.openSync(path.join(clickLogDir, segment!), 'r+');
    fs.writeSync(file, 'damaged damaged damaged', 500);
    fs.closeSync(file);
    const { metrics } = await started({ clickLogDir });
    const after = await seen(metrics, 'waypost_click_log_garbled_bytes_total');
    await expectFired('WaypostClickLogDamaged', before, after);
  });

  test('whose thread works without a pause', async () => {
    const { metrics, hang } = await started();
    const before = await scrape(metrics);
    const hanging = hang();
    await pause(100);
    const [one, two] = [await scrape(metrics), await scrape(metrics)];
    await hanging;
    await expectFired('WaypostVisitorThreadFull', before, one, two);
  });

  test('whose clicks nobody stores, since no process is there to', async () => {
    const { metrics, click } = await started();
    const before = await scrape(metrics);
    await click(10);
    await pause(1_300);
    await expectFired('WaypostIngestStoresNothing', before, before, await scrape(metrics));
  });

  test('whose clicks are shipped, and not stored', async () => {
    const { metrics, click } = await started();
    const bus = inProcessBus({ park: async () => undefined, logger });
    const sink = { store: () => Promise.reject(unavailable('ClickHouse is away')) };
    const ingest = createAnalyticsIngest({ bus, sink, logger });
    ingestMetrics(metrics, ingest);
    await expectFired('WaypostIngestStopped', peace, await scrape(metrics));
    await ingest.start();
    const before = await scrape(metrics);
    await click(10);
    await pause(1_300);
    await expectFired('WaypostIngestStoresNothing', before, before, await scrape(metrics));
  });
});

describe('a bus', () => {
  const message = { key: '', value: 'nonsense' };

  test('with messages that nobody can read, or nobody handles', async () => {
    const bus = inProcessBus({ park: async () => undefined, logger });
    const metrics = createMetrics();
    busMetrics(metrics, bus);
    await bus.subscribe(CLICKS, 'reader', async () => undefined);
    const before = await scrape(metrics);
    await bus.publishEncoded(CLICKS, [message]);
    await expectFired('WaypostMessagesParked', before, await scrape(metrics));
    let letGo = () => {};
    const hanging = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const hung = inProcessBus({ park: () => hanging, logger });
    const behind = createMetrics();
    busMetrics(behind, hung);
    await hung.subscribe(LINKS, 'reader', async () => undefined);
    const published = hung.publishEncoded(
      LINKS,
      times(1_001, () => message),
    );
    await expectFired('WaypostConsumerBehind', before, await scrape(behind));
    letGo();
    await published;
  });
});

test('an outbox that nobody empties', async () => {
  const db = await emptyDatabase();
  const metrics = createMetrics();
  queueMetrics(
    metrics,
    postgresLinkApiStores(db, { creationsPerHour: 300 }, () => undefined),
  );
  const before = await scrape(metrics);
  // In pieces: each statement has its time limit.
  for (let i = 0; i < 11; i++)
    await db.query(
      `INSERT INTO outbox (topic, key, value, created_at)
       SELECT 'links', '', '{}', now() - interval '10 minutes' FROM generate_series(1, 10000)`,
    );
  const full = await scrape(metrics);
  await expectFired('WaypostOutboxBehind', before, full);
  await expectFired('WaypostOutboxLarge', before, full);
});

describe('a scanner', () => {
  async function made(more: Partial<ScannerDeps> = {}) {
    const dataDir = newFolder();
    const metrics = createMetrics();
    const nothing = async () => [];
    const done = async () => undefined;
    const deps: ScannerDeps = {
      dataDir,
      policy: { registrableDomain, ownHosts: [], allowed: NO_ALLOWED_HOSTS },
      links: { file: done, refile: done, drop: done, find: nothing, matching: nothing, all: nothing },
      looks: { add: done, take: nothing, finish: done, putBack: done, addForHosts: async () => 0 },
      bus: inProcessBus({ park: async () => undefined, logger }),
      feeds: 'none',
      shippedFeedsFile: path.join(dataDir, 'none'),
      logger,
      now: () => new Date(),
      ...more,
    };
    return { metrics, scanner: await createScanner(deps, metrics) };
  }

  test('without threat data', async () => {
    const { metrics } = await made();
    await expectFired('WaypostScannerHasNoThreatData', peace, await scrape(metrics));
  });

  test('that cannot update a feed, or scan links again', async () => {
    const late = {
      name: 'late',
      url: 'http://127.0.0.1:9/',
      format: 'urls',
      threatType: 'malware',
      everyMs: 60_000,
    } as const;
    const { metrics, scanner } = await made({ feeds: [late] });
    const feed = { name: 'new', format: 'urls', threatType: 'malware' };
    await scanner.importFeed({ text: 'https://threat.example.net/' }, feed);
    const now = await scrape(metrics);
    await expectFired('WaypostFeedStale', peace, now);
    await expectFired('WaypostRescansBehind', peace, now);
    const random = Math.random;
    Math.random = () => 0; // the first poll is at once
    try {
      await scanner.start();
      afterwards(() => scanner.stop());
      while (!scanner.status().feeds.some(({ failing }) => failing)) await pause(20);
    } finally {
      Math.random = random;
    }
    await expectFired('WaypostFeedFails', peace, await scrape(metrics));
  });

  test('whose feed lists a much visited site, and whose provider is away', async () => {
    const [provider] = providersFrom(
      {
        googleWebRiskKey: undefined,
        googleSafeBrowsingKey: undefined,
        urlhausKey: 'key',
        phishtankKey: undefined,
        providersUrl: 'http://127.0.0.1:9',
        providerRequestsPerMinute: 100,
      },
      { logger, now: () => new Date() },
    );
    const { metrics, scanner } = await made({ providers: [provider!] });
    const lines = times(100, (i) => `https://threat${i}.example.net/`);
    const feed = { name: 'new', format: 'urls', threatType: 'malware' };
    await scanner.importFeed({ text: ['http://www.cian.ru', ...lines].join('\n') }, feed);
    const { signal } = new AbortController();
    for (let i = 0; i < 5; i += 1) await provider!.lookUp([`https://other${i}.example.net/`], signal);
    const now = await scrape(metrics);
    await expectFired('WaypostFeedInQuarantine', peace, now);
    await expectFired('WaypostProviderAway', peace, now);
  });
});

describe('a process', () => {
  /** Holds this much memory and, if it is busy, gives its event loop 20 ms in every 320. */
  async function child(megabytes: number, isBusy: boolean) {
    const [port] = await freePorts(1);
    const script = `
      import http from 'node:http';
      import { createMetrics } from ${JSON.stringify(import.meta.resolve('@waypost/telemetry'))};
      const metrics = createMetrics();
      metrics.collectProcess();
      globalThis.held = Buffer.alloc(${megabytes}e6, 1);
      const spin = () => { for (const end = performance.now() + 300; performance.now() < end; ); setTimeout(spin, 20); };
      if (${isBusy}) spin();
      http.createServer(async (_, response) => response.end(await metrics.text())).listen(${port}, '127.0.0.1', () => console.log('Ready'));`;
    const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script];
    const started = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const kill = async () => {
      started.kill('SIGKILL');
      if (started.exitCode === null && started.signalCode === null) await once(started, 'exit');
    };
    afterwards(kill);
    await once(started.stdout, 'data');
    return { scrape: () => scrape(`http://127.0.0.1:${port}`), kill };
  }

  test('that is large and busy', async () => {
    const busy = await child(600, true);
    const one = await busy.scrape();
    await pause(1_500);
    const two = await busy.scrape();
    await expectFired('WaypostMemoryGrows', peace, two);
    await expectFired('WaypostEventLoopBlocked', peace, two);
    // Tests may share the machine: as if it had its core for itself.
    const cpuMs = 1_000 * (figureOf(two, 'process_cpu_seconds_total') - figureOf(one, 'process_cpu_seconds_total'));
    await expectFired('WaypostCpuFull', peace, one, { ...two, at: one.at + Math.min(two.at - one.at, cpuMs) });
  });

  test('that ends again and again', async () => {
    const scrapes: Scrape[] = [];
    for (let i = 0; i < 5; i += 1) {
      const restarted = await child(0, false);
      scrapes.push(await restarted.scrape());
      await restarted.kill();
      await pause(1_000); // the time of a start is in whole seconds
    }
    await expectFired('WaypostRestartsOften', ...scrapes);
  });
});

test('no alert is left without its fault', () => {
  expect([...new Set(fired)].sort()).toEqual([...ALERTS].sort());
});
