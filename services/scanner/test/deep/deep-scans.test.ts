/** Tests deep scans as a whole: from a link event to the verdict on the bus, with a hostile server between. */

import { afterAll, describe, expect, test } from '@jest/globals';
import { LINKS, type LinkEvent, parseAllowed, type VerdictEvent } from '@waypost/domain';
import { hostileServer } from '@waypost/inspector/hostile-server';
import { inspectUrl } from '@waypost/inspector/inspect-url';
import type { PageInspector } from '@waypost/ports';
import { until } from '@waypost/test-support';
import type { ClaimedDeepScan, DeepScanQueue } from '../../src/deep-scans/deep-scan-queue.port.ts';
import type { DeepScanSettings } from '../../src/deep-scans/deep-scans.ts';
import { registrableDomain } from '../../src/judge/urls/hosts.ts';
import { type Kit, linkCreated, newScanner } from '../scanner-kit.ts';

const server = await hostileServer();

const stopping: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const stop of stopping.splice(0)) await stop();
});

type Row = { destinationUrl: string; site: string; attempts: number; dueAt: number };

/** A queue in memory instead of PostgreSQL. */
function memoryQueue(): DeepScanQueue & { readonly rows: Map<string, Row> } {
  const rows = new Map<string, Row>();
  return {
    rows,
    async add(links, most) {
      const refused: string[] = [];
      for (const { slug, destinationUrl, site } of links) {
        if (rows.has(slug)) continue;
        if (rows.size >= most) refused.push(slug);
        else rows.set(slug, { destinationUrl, site, attempts: 0, dueAt: 0 });
      }
      return refused;
    },
    async drop(slugs) {
      for (const slug of slugs) rows.delete(slug);
    },
    async claim({ limit, busySites }) {
      const claimed: ClaimedDeepScan[] = [];
      const sites = new Set(busySites);
      for (const [slug, row] of rows) {
        if (claimed.length >= limit || row.dueAt > Date.now() || sites.has(row.site)) continue;
        sites.add(row.site);
        row.attempts += 1;
        row.dueAt = Date.now() + 60_000;
        claimed.push({ slug, ...row });
      }
      return claimed;
    },
    async postpone(slug, _until, busySite) {
      const row = rows.get(slug)!;
      rows.set(slug, { ...row, dueAt: 0, site: busySite ?? row.site });
    },
    backlog: async () => ({ waiting: rows.size }),
  };
}

/** The timeout is short, because some tests wait for it. */
const inspecting = (timeoutMs = 200): PageInspector => ({
  inspect: (url, withinMs) =>
    inspectUrl(
      {
        policy: { registrableDomain, ownHosts: ['sho.example.com'] },
        allowed: parseAllowed(['127.0.0.1/32']),
        ports: [server.port],
        resolve: server.resolve,
        bounds: { timeoutMs, bodyBytes: 8 * 1024 },
      },
      url,
      withinMs,
    ),
});

async function newDeepScanner(more: Partial<DeepScanSettings>, inspector = inspecting()) {
  const queue = memoryQueue();
  const kit = await newScanner({
    deepScans: {
      queue,
      inspector,
      pages: false,
      previewFirst: true,
      concurrency: 8,
      pauseMs: 1,
      retries: { attempts: 2, first: 1, most: 1 },
      ...more,
    },
  });
  const listed = ['http://listed.example.net/malware', 'https://bit.ly/listed'];
  await kit.list('threats', listed, { threatType: 'malware' });
  await kit.start();
  stopping.push(() => kit.stop());
  return { ...kit, queue };
}

const scanners = new Map<string, ReturnType<typeof newDeepScanner>>();
/** Tests with the same settings share one scanner. */
function deepScanner(more: Partial<DeepScanSettings> = {}) {
  const key = JSON.stringify(more);
  const scanner = scanners.get(key) ?? newDeepScanner(more);
  scanners.set(key, scanner);
  return scanner;
}

let links = 0;
/** Creates a link that needs a deep scan, and resolves to the verdicts published for it. */
async function scanned({ bus }: Kit, name: string, url: string): Promise<readonly VerdictEvent[]> {
  const slug = `${name}-${++links}`;
  await bus.deliver(LINKS.name, due(slug, url));
  await until(() => bus.published.some((event) => event.slug === slug && event.type === 'deep_scan.done'));
  return bus.published.filter((event) => event.slug === slug);
}

const due = (slug: string, url: string): LinkEvent => ({ ...linkCreated(slug, url, 'g'), deep_scan: 'queued' });
/** A path that makes the rules warn, on any host. */
const WARNED = '/?for=ann@firm.com';
const rulesOf = ({ reasons }: VerdictEvent) => reasons.map(({ rule }) => rule);

describe('after the scan at creation', () => {
  test('warned and flagged links need a deep scan, and links to other shorteners get the preview page', async () => {
    const { scanner } = await deepScanner();
    const urls = [
      'https://bit.ly/abc',
      'https://bit.ly/listed',
      'https://example.org/?to=https%3A%2F%2Fbit.ly%2Fabc',
      'http://93.184.215.14/',
      'https://www.wikipedia.org/',
      'http://listed.example.net/malware',
    ];
    const { verdicts } = await scanner.scan(urls);
    expect(verdicts.map(({ outcome, deep_scan }) => [outcome, deep_scan])).toEqual([
      ['warned', { preview_first: true }],
      ['flagged', { preview_first: true }],
      ['warned', { preview_first: false }],
      ['warned', { preview_first: false }],
      ['clean', undefined],
      ['flagged', { preview_first: false }],
    ]);
  });

  test('PREVIEW_FIRST=off removes the preview page, and a scanner without deep scans announces none', async () => {
    const { scanner } = await deepScanner({ previewFirst: false });
    const [verdict] = (await scanner.scan(['https://bit.ly/abc'])).verdicts;
    expect(verdict!.deep_scan).toEqual({ preview_first: false });
    const [without] = (await (await newScanner()).scanner.scan(['https://bit.ly/abc'])).verdicts;
    expect(without).not.toHaveProperty('deep_scan');
  });
});

describe('a chain', () => {
  test('that ends in a listed address is flagged, with its evidence', async () => {
    server.redirect('bit.ly/chain', server.at('t.co', '/chain'));
    server.page('t.co/chain', `<meta http-equiv=refresh content="0; url=http://listed.example.net/malware?x=1">`);
    const kit = await deepScanner();
    const [threat, done] = await scanned(kit, 'chain', server.at('bit.ly', '/chain'));
    expect(threat).toMatchObject({
      type: 'threat.found',
      threat_type: 'malware',
      destination_url: server.at('bit.ly', '/chain'),
      reasons: [
        { rule: 'feed:threats', evidence: 'listed.example.net/malware', threat_type: 'malware' },
        { rule: 'redirect-chain' },
      ],
    });
    expect(threat!.reasons[1]!.evidence).toContain('t.co');
    expect(done).toMatchObject({ type: 'deep_scan.done', preview_first: false });
    expect(server.requests).toEqual(['bit.ly/chain', 't.co/chain']);
    expect(kit.queue.rows.size).toBe(0);
  });

  test('is followed even from a listed address, since a review may have cleared the link', async () => {
    server.redirect('bit.ly/listed', server.at('listed.example.net', '/malware'));
    const kit = await deepScanner();
    const evidence = await scanned(kit, 'cleared', server.at('bit.ly', '/listed'));
    expect(evidence.at(-1)).toMatchObject({
      outcome: 'flagged',
      reasons: [{ evidence: 'listed.example.net/malware' }, {}],
    });
    server.redirect('bit.ly/listed', 'https://www.wikipedia.org/');
    const after = await scanned(kit, 'cleared', server.at('bit.ly', '/listed'));
    expect(after.at(-1)).toMatchObject({ type: 'deep_scan.done', outcome: 'clean', preview_first: false });
  });

  test('that ends at an ordinary page removes the preview page, and does not fetch the page', async () => {
    server.redirect('bit.ly/fine', 'https://www.wikipedia.org/wiki/Link');
    const kit = await deepScanner();
    const events = await scanned(kit, 'fine', server.at('bit.ly', '/fine'));
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ type: 'deep_scan.done', outcome: 'clean', preview_first: false });
    expect(server.requests).toEqual(['bit.ly/fine']);
  });

  test('has evidence of whole characters, even where its addresses are cut', async () => {
    server.redirect('bit.ly/emoji', 'https://www.wikipedia.org/wiki/Link');
    const kit = await deepScanner();
    const start = server.at('bit.ly', '/emoji#');
    const [done] = await scanned(kit, 'emoji', `${start}${'a'.repeat(88 - start.length)}😀😀`);
    const { evidence } = done!.reasons.find(({ rule }) => rule === 'redirect-chain')!;
    expect(evidence).toContain('a\ufffd… > https://www.wikipedia.org/wiki/Link');
    expect(evidence.isWellFormed()).toBe(true);
  });

  test('that goes in a circle or leads back to this service is flagged', async () => {
    server.redirect('bit.ly/circle', server.at('t.co', '/circle#x'));
    server.redirect('t.co/circle', server.at('bit.ly', '/circle'));
    server.redirect('bit.ly/self', '/self');
    server.redirect('bit.ly/home', 'https://sho.example.com/abc');
    const kit = await deepScanner();
    for (const slug of ['circle', 'self', 'home']) {
      const [threat] = await scanned(kit, slug, server.at('bit.ly', `/${slug}`));
      expect(threat).toMatchObject({ type: 'threat.found', threat_type: 'suspicious' });
      expect(rulesOf(threat!)).toEqual(['redirect-loop', 'redirect-chain']);
    }
  });

  test('that redirects to the same page until a cookie is set is not flagged', async () => {
    server.redirect(`a-garden.org${WARNED}`, WARNED);
    const kit = await deepScanner();
    const events = await scanned(kit, 'cookie', server.at('a-garden.org', WARNED));
    expect(events.map(({ type }) => type)).toEqual(['deep_scan.done']);
    expect(events[0]).toMatchObject({ threat_type: 'suspicious', preview_first: false });
    expect(rulesOf(events[0]!)[0]).toBe('redirect-loop');
  });

  test('that does not end is left after five requests, and keeps the preview page', async () => {
    let hops = 0;
    server.answer('bit.ly/*', (_, response) => void response.writeHead(302, { Location: `/hop${++hops}` }).end());
    const kit = await deepScanner();
    const [done] = await scanned(kit, 'endless', server.at('bit.ly', '/endless'));
    expect(done).toMatchObject({ type: 'deep_scan.done', threat_type: 'suspicious', preview_first: true });
    expect(rulesOf(done!)[0]).toBe('long-redirect-chain');
    expect(server.requests).toHaveLength(5);
  });

  test.each(['127.0.0.2', '[::1]', 'rebound-firm.net'])(
    'into a private network ends there, without a connection: %s',
    async (host) => {
      server.names.set('rebound-firm.net', () => ['127.0.0.2']);
      server.redirect('bit.ly/inside', server.at(host, WARNED));
      const kit = await deepScanner();
      const [done] = await scanned(kit, 'inside', server.at('bit.ly', '/inside'));
      expect(done).toMatchObject({ type: 'deep_scan.done', threat_type: 'suspicious', preview_first: true });
      expect(rulesOf(done!)[0]).toBe('redirect-refused');
      expect(server.requests).toEqual(['bit.ly/inside']);
      expect(server.forbidden).toEqual([]);
    },
  );

  test.each(['file:///etc/passwd', 'javascript:alert(1)', 'http://['])(
    'to another protocol ends there: %s',
    async (to) => {
      server.redirect('bit.ly/protocol', to);
      const kit = await deepScanner();
      const [done] = await scanned(kit, 'protocol', server.at('bit.ly', '/protocol'));
      expect(rulesOf(done!)[0]).toBe('redirect-refused');
      expect(server.forbidden).toEqual([]);
    },
  );
});

describe('the queue', () => {
  test('tries a silent address again, then gives up and keeps the preview page', async () => {
    let requests = 0;
    server.answer('bit.ly/later', (_, response) => {
      if (++requests === 1) response.writeHead(503).end();
      else response.writeHead(302, { Location: 'http://listed.example.net/malware' }).end();
    });
    server.answer('bit.ly/never', () => undefined);
    const kit = await deepScanner();
    expect((await scanned(kit, 'later', server.at('bit.ly', '/later')))[0]).toMatchObject({ type: 'threat.found' });
    const [done] = await scanned(kit, 'never', server.at('bit.ly', '/never'));
    expect(done).toMatchObject({ type: 'deep_scan.done', preview_first: true, threat_type: 'suspicious' });
    expect(rulesOf(done!)).toEqual(['not-followed']);
  });

  test('sends one request at a time to each site, and asks other sites meanwhile', async () => {
    for (const host of ['bit.ly', 't.co'])
      server.answer(
        `${host}/slow`,
        (_, response) =>
          void setTimeout(() => response.writeHead(302, { Location: 'https://www.wikipedia.org/' }).end(), 30),
      );
    server.atOnce.clear();
    const kit = await newDeepScanner({}, inspecting(10_000));
    const slugs = Array.from({ length: 12 }, (_, i) => `slow${i}`);
    await kit.bus.deliver(
      LINKS.name,
      ...slugs.map((slug, i) => due(slug, server.at(i % 2 === 0 ? 'bit.ly' : 't.co', '/slow'))),
    );
    await until(() => kit.bus.published.length === 12);
    expect(Object.fromEntries(server.atOnce)).toMatchObject({ 'bit.ly': 1, 't.co': 1 });
    expect(kit.status().deepScans).toMatchObject({ ended: 12, flagged: 0, givenUp: 0 });
  });

  test('follows other links while several links wait for a silent site', async () => {
    server.redirect('crowd.example.net/*', server.at('slow.example.org', WARNED));
    server.answer(`slow.example.org${WARNED}`, () => undefined);
    server.redirect('bit.ly/meanwhile', 'https://www.wikipedia.org/');
    const askedOf = (host: string) => server.requests.filter((request) => request.startsWith(`${host}/`)).length;
    const kit = await newDeepScanner({ concurrency: 2, patienceMs: 50 }, inspecting(5_000));
    const crowd = [1, 2, 3].map((n) => due(`crowd${n}`, server.at('crowd.example.net', `${WARNED}&n=${n}`)));
    await kit.bus.deliver(LINKS.name, ...crowd);
    await until(() => askedOf('crowd.example.net') === 2);
    const [done] = await scanned(kit, 'meanwhile', server.at('bit.ly', '/meanwhile'));
    expect(done).toMatchObject({ type: 'deep_scan.done', outcome: 'clean' });
    // The first request to this host still runs, and no second link waits for the same host.
    expect(askedOf('slow.example.org')).toBe(1);
    await until(() => kit.status().deepScans!.running === 1);
  });

  test('has room for a limited number of links, and publishes the others at once', async () => {
    const kit = await deepScanner({ queueMax: 0 });
    const [done] = await scanned(kit, 'full', server.at('bit.ly', '/full'));
    expect(done).toMatchObject({ preview_first: true, reasons: [{ rule: 'not-followed' }] });
    expect(server.requests).toEqual([]);
  });

  test('drops a revoked link, and ignores links that are flagged or need no deep scan', async () => {
    const kit = await deepScanner({ concurrency: 0 });
    await kit.bus.deliver(LINKS.name, due('gone', 'https://bit.ly/gone'));
    await kit.bus.deliver(LINKS.name, linkCreated('quiet', 'https://bit.ly/quiet', 'g'));
    await kit.bus.deliver(LINKS.name, { ...due('bad', 'https://bit.ly/bad'), status: 'flagged' });
    expect([...kit.queue.rows.keys()]).toEqual(['gone']);
    await kit.bus.deliver(LINKS.name, { ...due('gone', 'https://bit.ly/gone'), status: 'revoked' });
    expect(kit.queue.rows.size).toBe(0);
  });

  test('never gets a link that was revoked before its creation was read', async () => {
    const kit = await deepScanner({ concurrency: 0 });
    const link = due('brief', 'https://bit.ly/brief');
    await kit.bus.deliver(LINKS.name, link, { ...link, type: 'link.revoked', status: 'revoked' });
    expect(kit.queue.rows.size).toBe(0);
  });

  test('stops at once, and keeps the links whose scans still run', async () => {
    let requests = 0;
    const inspect = () => {
      requests += 1;
      return new Promise<never>(() => undefined);
    };
    const kit = await newDeepScanner({}, { inspect });
    await kit.bus.deliver(LINKS.name, due('hang', 'https://bit.ly/hang'));
    await until(() => requests === 1);
    await kit.stop();
    expect([...kit.queue.rows.keys()]).toEqual(['hang']);
    expect(kit.bus.published).toEqual([]);
  });
});

describe('the page at the end', () => {
  const LOGIN = (title: string, icon = '/favicon.ico') =>
    `<title>${title}</title><link rel=icon href="${icon}"><form><input type=password></form>`;

  test('is judged only if the operator has switched this on', async () => {
    server.redirect('bit.ly/pages', server.at('shop.example.org', '/'));
    server.page('shop.example.org/', LOGIN('PayPal: sign in', 'https://www.paypal.com/favicon.ico'));
    const [done] = await scanned(await deepScanner(), 'pages', server.at('bit.ly', '/pages'));
    expect(done).toMatchObject({ type: 'deep_scan.done', outcome: 'clean' });
    expect(server.requests).toEqual(['bit.ly/pages']);
    const [threat] = await scanned(await deepScanner({ pages: true }), 'pages', server.at('bit.ly', '/pages'));
    expect(threat).toMatchObject({ type: 'threat.found', threat_type: 'phishing' });
    expect(rulesOf(threat!)).toEqual(['password-form', 'brand-in-title', 'icon-of-brand', 'redirect-chain']);
  });

  test.each([
    ['a form alone', LOGIN('Members')],
    ['a shop that takes a brand', LOGIN('Pay with PayPal')],
    ['an article about a brand', '<title>PayPal raises its fees</title>'],
  ])('is not flagged for %s', async (_, html) => {
    server.redirect('bit.ly/honest', server.at('honest.example.org', '/'));
    server.page('honest.example.org/', html);
    const events = await scanned(await deepScanner({ pages: true }), 'honest', server.at('bit.ly', '/honest'));
    expect(events.map(({ type }) => type)).toEqual(['deep_scan.done']);
  });

  test('is flagged if it is a program at an address that already warns', async () => {
    const program = Buffer.alloc(200);
    program.write('MZ');
    server.answer(`a-garden.org${WARNED}`, (_, response) => void response.writeHead(200).end(program));
    const url = server.at('a-garden.org', WARNED);
    const [threat] = await scanned(await deepScanner({ pages: true }), 'program', url);
    expect(threat).toMatchObject({ type: 'threat.found', threat_type: 'malware' });
  });
});
