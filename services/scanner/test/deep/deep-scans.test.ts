/** Links through the queue, followed over a hostile server, to what the bus gets. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { LINKS, type LinkEvent, parseAllowed, type VerdictEvent } from '@waypost/domain';
import type { ClaimedDeepScan, DeepScanQueue, PageInspector } from '@waypost/ports';
import { until } from '@waypost/test-support';
import type { DeepScanSettings } from '../../src/deep/deep-scans.ts';
import { inspectUrl } from '../../src/deep/inspect-url.ts';
import { registrableDomain } from '../../src/index.ts';
import { type Kit, linkCreated, newScanner } from '../scanner-kit.ts';
import { hostileServer } from './hostile-server.ts';

const server = await hostileServer();

const stopping: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const stop of stopping.splice(0)) await stop();
});

type Row = { destinationUrl: string; site: string; attempts: number; dueAt: number };

/** The queue without its database; libs/adapter-postgres tests the real one. */
function memoryQueue(): DeepScanQueue & { readonly rows: Map<string, Row> } {
  const rows = new Map<string, Row>();
  return {
    rows,
    async add(links, most) {
      const left: string[] = [];
      for (const { slug, destinationUrl, site } of links) {
        if (rows.has(slug)) continue;
        if (rows.size >= most) left.push(slug);
        else rows.set(slug, { destinationUrl, site, attempts: 0, dueAt: 0 });
      }
      return left;
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

/** `timeoutMs` of a request: short, as some tests wait for it. */
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

const made = new Map<string, ReturnType<typeof newDeepScanner>>();
/** One for all tests that want the same, but what a test does to it alone. */
function deepScanner(more: Partial<DeepScanSettings> = {}) {
  const key = JSON.stringify(more);
  const scanner = made.get(key) ?? newDeepScanner(more);
  made.set(key, scanner);
  return scanner;
}

let links = 0;
/** Creates a link that is due a deep scan, and resolves to what was published of it. */
async function scanned({ bus }: Kit, name: string, url: string): Promise<readonly VerdictEvent[]> {
  const slug = `${name}-${++links}`;
  await bus.deliver(LINKS.name, due(slug, url));
  await until(() => bus.published.some((event) => event.slug === slug && event.type === 'deep_scan.done'));
  return bus.published.filter((event) => event.slug === slug);
}

const due = (slug: string, url: string): LinkEvent => ({ ...linkCreated(slug, url, 'g'), deep_scan: 'queued' });
/** An address that the engine warns of, on any host. */
const WARNED = '/?for=ann@firm.com';
const rulesOf = ({ reasons }: VerdictEvent) => reasons.map(({ rule }) => rule);

describe('after the scan at creation', () => {
  test('a deep scan is due for what is warned or flagged; the preview page comes first for other shorteners', async () => {
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

  test('PREVIEW_FIRST=off and no deep scans', async () => {
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
    expect(server.asked).toEqual(['bit.ly/chain', 't.co/chain']);
    expect(kit.queue.rows.size).toBe(0);
  });

  test('that starts at a listed address of another shortener is followed: a review may have cleared its link', async () => {
    server.redirect('bit.ly/listed', server.at('listed.example.net', '/malware'));
    const kit = await deepScanner();
    const found = await scanned(kit, 'cleared', server.at('bit.ly', '/listed'));
    expect(found.at(-1)).toMatchObject({
      outcome: 'flagged',
      reasons: [{ evidence: 'listed.example.net/malware' }, {}],
    });
    server.redirect('bit.ly/listed', 'https://www.wikipedia.org/');
    const after = await scanned(kit, 'cleared', server.at('bit.ly', '/listed'));
    expect(after.at(-1)).toMatchObject({ type: 'deep_scan.done', outcome: 'clean', preview_first: false });
  });

  test('that ends at an ordinary page: it is not fetched, and visitors need no preview page any more', async () => {
    server.redirect('bit.ly/fine', 'https://www.wikipedia.org/wiki/Link');
    const kit = await deepScanner();
    const events = await scanned(kit, 'fine', server.at('bit.ly', '/fine'));
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ type: 'deep_scan.done', outcome: 'clean', preview_first: false });
    expect(server.asked).toEqual(['bit.ly/fine']);
  });

  test('has evidence of whole characters, wherever its addresses are cut', async () => {
    server.redirect('bit.ly/emoji', 'https://www.wikipedia.org/wiki/Link');
    const kit = await deepScanner();
    const start = server.at('bit.ly', '/emoji#');
    const [done] = await scanned(kit, 'emoji', `${start}${'a'.repeat(88 - start.length)}😀😀`);
    const { evidence } = done!.reasons.find(({ rule }) => rule === 'redirect-chain')!;
    expect(evidence).toContain('a\ufffd… > https://www.wikipedia.org/wiki/Link');
    expect(evidence.isWellFormed()).toBe(true);
  });

  test('in a circle, or back to this service, is flagged', async () => {
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

  test('of an ordinary page that waits for a cookie is not', async () => {
    server.redirect(`a-garden.org${WARNED}`, WARNED);
    const kit = await deepScanner();
    const events = await scanned(kit, 'cookie', server.at('a-garden.org', WARNED));
    expect(events.map(({ type }) => type)).toEqual(['deep_scan.done']);
    expect(events[0]).toMatchObject({ threat_type: 'suspicious', preview_first: false });
    expect(rulesOf(events[0]!)[0]).toBe('redirect-loop');
  });

  test('without an end stops after five requests, and keeps the preview page', async () => {
    let hops = 0;
    server.answer('bit.ly/*', (_, response) => void response.writeHead(302, { Location: `/hop${++hops}` }).end());
    const kit = await deepScanner();
    const [done] = await scanned(kit, 'endless', server.at('bit.ly', '/endless'));
    expect(done).toMatchObject({ type: 'deep_scan.done', threat_type: 'suspicious', preview_first: true });
    expect(rulesOf(done!)[0]).toBe('long-redirect-chain');
    expect(server.asked).toHaveLength(5);
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
      expect(server.asked).toEqual(['bit.ly/inside']);
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
  test('tries again what does not answer, then gives it up; visitors keep the preview page', async () => {
    let asked = 0;
    server.answer('bit.ly/later', (_, response) => {
      if (++asked === 1) response.writeHead(503).end();
      else response.writeHead(302, { Location: 'http://listed.example.net/malware' }).end();
    });
    server.answer('bit.ly/never', () => undefined);
    const kit = await deepScanner();
    expect((await scanned(kit, 'later', server.at('bit.ly', '/later')))[0]).toMatchObject({ type: 'threat.found' });
    const [done] = await scanned(kit, 'never', server.at('bit.ly', '/never'));
    expect(done).toMatchObject({ type: 'deep_scan.done', preview_first: true, threat_type: 'suspicious' });
    expect(rulesOf(done!)).toEqual(['not-followed']);
  });

  test('asks a site one thing at a time, however many links lead there, and others meanwhile', async () => {
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

  test('follows other links while several lead over one site to another that does not answer', async () => {
    server.redirect('crowd.example.net/*', server.at('slow.example.org', WARNED));
    server.answer(`slow.example.org${WARNED}`, () => undefined);
    server.redirect('bit.ly/meanwhile', 'https://www.wikipedia.org/');
    const askedOf = (host: string) => server.asked.filter((asked) => asked.startsWith(`${host}/`)).length;
    const kit = await newDeepScanner({ concurrency: 2, patienceMs: 50 }, inspecting(5_000));
    const crowd = [1, 2, 3].map((n) => due(`crowd${n}`, server.at('crowd.example.net', `${WARNED}&n=${n}`)));
    await kit.bus.deliver(LINKS.name, ...crowd);
    await until(() => askedOf('crowd.example.net') === 2);
    const [done] = await scanned(kit, 'meanwhile', server.at('bit.ly', '/meanwhile'));
    expect(done).toMatchObject({ type: 'deep_scan.done', outcome: 'clean' });
    // The first request there has not ended, and nobody waits for it in the place of another link.
    expect(askedOf('slow.example.org')).toBe(1);
    await until(() => kit.status().deepScans!.running === 1);
  });

  test('has room for so many links; the others are told of at once', async () => {
    const kit = await deepScanner({ queueMax: 0 });
    const [done] = await scanned(kit, 'full', server.at('bit.ly', '/full'));
    expect(done).toMatchObject({ preview_first: true, reasons: [{ rule: 'not-followed' }] });
    expect(server.asked).toEqual([]);
  });

  test('drops a link that is revoked, and ignores those that are flagged or due nothing', async () => {
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

  test('keeps what runs when the process stops, and stops at once', async () => {
    let asked = 0;
    const inspect = () => {
      asked += 1;
      return new Promise<never>(() => undefined);
    };
    const kit = await newDeepScanner({}, { inspect });
    await kit.bus.deliver(LINKS.name, due('hang', 'https://bit.ly/hang'));
    await until(() => asked === 1);
    await kit.stop();
    expect([...kit.queue.rows.keys()]).toEqual(['hang']);
    expect(kit.bus.published).toEqual([]);
  });
});

describe('the page at the end', () => {
  const LOGIN = (title: string, icon = '/favicon.ico') =>
    `<title>${title}</title><link rel=icon href="${icon}"><form><input type=password></form>`;

  test('is judged only where the operator says so', async () => {
    server.redirect('bit.ly/pages', server.at('shop.example.org', '/'));
    server.page('shop.example.org/', LOGIN('PayPal: sign in', 'https://www.paypal.com/favicon.ico'));
    const [done] = await scanned(await deepScanner(), 'pages', server.at('bit.ly', '/pages'));
    expect(done).toMatchObject({ type: 'deep_scan.done', outcome: 'clean' });
    expect(server.asked).toEqual(['bit.ly/pages']);
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

  test('that is a program, at an address that warns already, is flagged', async () => {
    const program = Buffer.alloc(200);
    program.write('MZ');
    server.answer(`a-garden.org${WARNED}`, (_, response) => void response.writeHead(200).end(program));
    const url = server.at('a-garden.org', WARNED);
    const [threat] = await scanned(await deepScanner({ pages: true }), 'program', url);
    expect(threat).toMatchObject({ type: 'threat.found', threat_type: 'malware' });
  });
});
