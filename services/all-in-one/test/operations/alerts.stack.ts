/**
 * Tests that each alert of deploy/chart/monitoring/alerts.yml fires when its fault occurs, and none fires without a
 * fault.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { inProcessBus } from '@waypost/adapter-embedded';
import { createAnalyticsIngest, ingestMetrics } from '@waypost/analytics-ingest';
import { CLICKS, LINKS, NO_ALLOWED_HOSTS, unavailable } from '@waypost/domain';
import { promtool } from '@waypost/engines/promtool';
import { postgresLinkApiStores } from '@waypost/link-api';
import { caseMetrics, outboxMetrics } from '@waypost/link-api/test-stores';
import { registrableDomain } from '@waypost/scanner';
import { createMetrics, type Metrics } from '@waypost/telemetry';
import { pause } from '@waypost/test-support';
import { afterwards, newFolder } from '@waypost/test-support/afterwards';
import { emptyDatabase } from '@waypost/test-support/database';
import { busMetrics } from '@waypost/typed-bus';
import { product } from '../product.ts';
import { eventually, listedUrl, newLink, newSlugs, signalDatabase, times, visit } from '../support.ts';
import { apiClient } from '../waypost-process.ts';
import { ALERTS, figureOf, firing, firingInPeace, type Scrape, scrape } from './alerts-under-test.ts';
import { logger, newScanner, providerAway, refusing, startProcess, startRedirector } from './parts-under-test.ts';

const { waypost, api, apiKey } = product({});
let peace: Scrape;
const fired: string[] = [];

beforeAll(async () => {
  const { slug } = await newLink(api);
  expect((await visit(waypost.redirect, `/${slug}`)).status).toBe(302);
  peace = await scrape(waypost.internal);
});

/** With three scrapes or more, counters continue to grow as between the last two. */
async function expectFired(alert: string, ...scrapes: readonly Scrape[]): Promise<void> {
  expect([alert, await firing(scrapes, alert)]).toEqual([alert, { atFirst: false, atLast: true }]);
  fired.push(alert);
}

test('promtool accepts /metrics, which has every metric of the rules and of the dashboard', async () => {
  const { text } = await visit(waypost.internal, '/metrics');
  expect(execFileSync(promtool(), ['check', 'metrics'], { input: text, encoding: 'utf8' })).toBe('');
  const folder = new URL('../../../../deploy/chart/monitoring/', import.meta.url);
  const used = ['alerts.yml', 'dashboard.json'].map((file) => fs.readFileSync(new URL(file, folder), 'utf8')).join();
  const names = new Set(
    [...used.matchAll(/\b(?:waypost|process|nodejs)_[a-z0-9_]+/g)].map(([name]) => name.replace(/_bucket$/, '')),
  );
  expect(names.size).toBeGreaterThan(35);
  for (const name of names) expect(text).toContain(`\n# TYPE ${name} `);
});

test('no alert fires without a fault', async () => {
  expect(await firingInPeace(peace)).toEqual([]);
});

const over = (least: number, of: string | Metrics, name: string) =>
  eventually(
    () => scrape(of),
    (figures) => figureOf(figures, name) > least,
    10_000,
  );

describe('an alert fires for a product', () => {
  const listWith = (key: string) => apiClient(waypost.api, key)('GET', '/api/v1/links');
  async function whileFrozen<T>(work: () => Promise<T>): Promise<T> {
    const signal = signalDatabase(waypost.dataDir);
    signal('SIGSTOP');
    try {
      return await work();
    } finally {
      signal('SIGCONT');
    }
  }

  test('whose database is frozen', async () => {
    // Requests with the same key would share one look-up and its connection, and those without a key wait for a turn.
    const keys = await Promise.all(times(35, () => waypost.newKey()));
    for (const { key } of keys) expect((await listWith(key)).status).toBe(200);
    const before = await scrape(waypost.internal);
    const frozen = await whileFrozen(async () => {
      const answers = [
        ...keys.map(({ key }) => listWith(key)),
        ...times(10, (i) => visit(waypost.redirect, `/unknown${i}`)),
      ];
      await pause(1_200); // the health check runs once a second
      const figures = await scrape(waypost.internal);
      await Promise.all(answers);
      return figures;
    });
    const after = await scrape(waypost.internal);
    await expectFired('WaypostDependencyDown', before, frozen);
    await expectFired('WaypostDatabasePoolFull', before, frozen);
    for (const alert of ['WaypostApiFails', 'WaypostApiSlow', 'WaypostRedirectsFail', 'WaypostRedirectsSlow'])
      await expectFired(alert, before, before, after);
  });

  test('that sheds its load, and shed answers are not among the others', async () => {
    const before = await scrape(waypost.internal);
    const { answers, shedding } = await whileFrozen(async () => ({
      answers: times(560, () => api('GET', '/api/v1/links')),
      shedding: await over(20, waypost.internal, 'waypost_api_shed_requests_total'),
    }));
    await expectFired('WaypostApiFails', before, before, shedding);
    await Promise.all(answers);
  });

  test('whose keys somebody guesses, or whose links lead to threats', async () => {
    const before = await scrape(waypost.internal);
    await Promise.all(times(50, () => listWith(`${apiKey()}x`)));
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

describe('an alert fires for a redirector', () => {
  test('whose clicks nobody accepts', async () => {
    const late = { now: () => Date.now() + 600_000 };
    const { metrics, click } = await startRedirector({ bus: refusing, ...late });
    const before = await scrape(metrics);
    await click(150);
    const filling = await over(0, metrics, 'waypost_click_log_oldest_unsent_age_seconds');
    await expectFired('WaypostClicksNotShipped', before, filling);
    await expectFired('WaypostClickLogHalfFull', before, filling);
    await click(300);
    await expectFired('WaypostClicksLost', before, await scrape(metrics));
  });

  test('whose disk is full', async () => {
    const clickLogDir = newFolder();
    const { metrics, click } = await startRedirector({ bus: refusing, clickLogDir });
    const before = await scrape(metrics);
    fs.rmSync(clickLogDir, { recursive: true });
    fs.writeFileSync(clickLogDir, '');
    for (let i = 0; i < 10; i += 1) await click(20);
    await expectFired('WaypostClicksHeldInMemory', before, await scrape(metrics));
  });

  test('whose click log was damaged', async () => {
    const clickLogDir = newFolder();
    const first = await startRedirector({ bus: refusing, clickLogDir });
    // The log needs two frames: if the last frame is damaged, it counts as torn and is cut off.
    await first.click(10);
    await first.click(10);
    const before = await scrape(first.metrics);
    await first.stop();
    const isSegment = (name: string) => fs.statSync(path.join(clickLogDir, name)).size > 1_000;
    const file = fs.openSync(path.join(clickLogDir, fs.readdirSync(clickLogDir).find(isSegment)!), 'r+');
    fs.writeSync(file, 'damaged damaged damaged', 500);
    fs.closeSync(file);
    const { metrics } = await startRedirector({ clickLogDir });
    const after = await over(0, metrics, 'waypost_click_log_garbled_bytes_total');
    await expectFired('WaypostClickLogDamaged', before, after);
  });

  test('whose thread never pauses', async () => {
    const { metrics, hang } = await startRedirector();
    const before = await scrape(metrics);
    const hanging = hang();
    await pause(100);
    const [one, two] = [await scrape(metrics), await scrape(metrics)];
    await hanging;
    await expectFired('WaypostVisitorThreadFull', before, one, two);
  });

  test('whose clicks nobody stores, because there is no such process', async () => {
    const { metrics, click } = await startRedirector();
    const before = await scrape(metrics);
    await click(10);
    await pause(1_300);
    await expectFired('WaypostIngestStoresNothing', before, before, await scrape(metrics));
  });

  test('whose clicks are shipped but not stored', async () => {
    const { metrics, click } = await startRedirector();
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

describe('an alert fires for a bus', () => {
  const message = { key: '', value: 'nonsense' };

  test('with messages that nobody can read or nobody handles', async () => {
    const bus = inProcessBus({ park: async () => undefined, logger });
    const metrics = createMetrics();
    busMetrics(metrics, bus);
    await bus.subscribe(CLICKS, 'reader', async () => undefined);
    const before = await scrape(metrics);
    await bus.publishEncoded(CLICKS, [message]);
    await expectFired('WaypostMessagesParked', before, await scrape(metrics));
    const { promise: hanging, resolve: letGo } = Promise.withResolvers<void>();
    const hung = inProcessBus({ park: () => hanging, logger });
    const behind = createMetrics();
    busMetrics(behind, hung);
    await hung.subscribe(LINKS, 'reader', async () => undefined);
    const published = hung.publishEncoded(LINKS, Array(1_001).fill(message));
    await expectFired('WaypostConsumerBehind', before, await scrape(behind));
    letGo();
    await published;
  });
});

test('an alert fires for an outbox that nobody empties', async () => {
  const db = await emptyDatabase();
  const metrics = createMetrics();
  const stores = postgresLinkApiStores(db, { creationsPerHour: 300 }, () => undefined);
  outboxMetrics(metrics, stores);
  const before = await scrape(metrics);
  // One large statement would exceed its time limit.
  for (let i = 0; i < 11; i++)
    await db.query(
      `INSERT INTO outbox (key, value, created_at)
       SELECT '', '{}', now() - interval '10 minutes' FROM generate_series(1, 10000)`,
    );
  const full = await scrape(metrics);
  await expectFired('WaypostOutboxBehind', before, full);
  await expectFired('WaypostOutboxLarge', before, full);
});

test('an alert fires for a report and for a review request that nobody decides', async () => {
  const db = await emptyDatabase();
  const metrics = createMetrics();
  const stores = postgresLinkApiStores(db, { creationsPerHour: 300 }, () => undefined);
  caseMetrics(metrics, stores);
  const before = await scrape(metrics);
  for (const [alert, kind, hours] of [
    ['WaypostReportsWaiting', 'report', 4],
    ['WaypostReviewsWaiting', 'review', 48],
  ] as const) {
    const number = crypto.randomUUID();
    await stores.cases.open(
      { number, kind, slug: 'slug', category: null, message: '', accountId: null },
      {
        notice: ({ slug, createdAt: at }) => ({
          message: { type: 'case.opened', slug, eventId: number, body: '{}', at, traceparent: undefined },
          mail: { kind: 'report', line: slug },
        }),
      },
    );
    const waited = async (age: string) => {
      await db.query(`UPDATE cases SET created_at = now() - interval '${age}' WHERE number = $1`, [number]);
      return scrape(metrics);
    };
    const fresh = await waited(`${hours - 1} hours`);
    expect(await firing([before, fresh], alert)).toEqual({ atFirst: false, atLast: false });
    await expectFired(alert, before, await waited(`${hours} hours 1 minute`));
  }
});

describe('an alert fires for a scanner', () => {
  const feed = { name: 'new', format: 'urls', threatType: 'malware' } as const;

  test('without threat data', async () => {
    const { metrics } = await newScanner();
    await expectFired('WaypostScannerHasNoThreatData', peace, await scrape(metrics));
  });

  test('that cannot update a feed or scan links again', async () => {
    const late = { ...feed, name: 'late', urls: ['http://127.0.0.1:9/'], everyMs: 60_000 };
    const { metrics, scanner } = await newScanner({ feeds: [late] });
    await scanner.importFeed({ text: 'https://threat.example.net/' }, feed);
    const now = await scrape(metrics);
    await expectFired('WaypostFeedStale', peace, now);
    await expectFired('WaypostRescansBehind', peace, now);
    const random = Math.random;
    Math.random = () => 0; // makes the scanner poll without delay
    try {
      await scanner.start();
      afterwards(() => scanner.stop());
      while (!scanner.status().feeds.some((feed) => feed.last_error !== null)) await pause(20);
    } finally {
      Math.random = random;
    }
    await expectFired('WaypostFeedFails', peace, await scrape(metrics));
  });

  test('whose feed names this service or its short links', async () => {
    const policy = { registrableDomain, ownHosts: ['go.example.org:443'], allowed: NO_ALLOWED_HOSTS };
    const { metrics, scanner } = await newScanner({ policy });
    const names = ['https://threat.example.net/', 'https://example.org/', 'https://go.example.org/k7Qm2Rx'];
    await scanner.importFeed({ text: names.join('\n') }, feed);
    const now = await scrape(metrics);
    await expectFired('WaypostNamedByFeed', peace, now);
    await expectFired('WaypostLinksNamedByFeed', peace, now);
  });

  test('whose feed lists a popular site, or whose provider does not answer', async () => {
    const provider = providerAway();
    const { metrics, scanner } = await newScanner({ providers: [provider] });
    const lines = times(100, (i) => `https://threat${i}.example.net/`);
    await scanner.importFeed({ text: ['http://www.cian.ru', ...lines].join('\n') }, feed);
    const { signal } = new AbortController();
    for (let i = 0; i < 5; i += 1) await provider.lookUp([`https://other${i}.example.net/`], signal);
    const now = await scrape(metrics);
    await expectFired('WaypostFeedInQuarantine', peace, now);
    await expectFired('WaypostProviderAway', peace, now);
  });
});

describe('an alert fires for a process', () => {
  test('that is large and busy', async () => {
    const busy = await startProcess(600, true);
    const one = await busy.scrape();
    await pause(1_500);
    const two = await busy.scrape();
    await expectFired('WaypostMemoryGrows', peace, two);
    await expectFired('WaypostEventLoopBlocked', peace, two);
    // Other tests may use the processor, so the time is computed as if the process had a core for itself.
    const cpuMs = 1_000 * (figureOf(two, 'process_cpu_seconds_total') - figureOf(one, 'process_cpu_seconds_total'));
    await expectFired('WaypostCpuFull', peace, one, { ...two, at: one.at + Math.min(two.at - one.at, cpuMs) });
  });

  test('that ends repeatedly', async () => {
    const scrapes: Scrape[] = [];
    for (let i = 0; i < 5; i += 1) {
      const restarted = await startProcess(0, false);
      scrapes.push(await restarted.scrape());
      await restarted.kill();
      await pause(1_000); // the start time is in whole seconds
    }
    await expectFired('WaypostRestartsOften', ...scrapes);
  });
});

test('every alert was tested with its fault', () => {
  expect([...new Set(fired)].sort()).toEqual([...ALERTS].sort());
});
