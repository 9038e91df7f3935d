/**
 * Measures what one account, or anybody without a key, can do to the other accounts:
 *
 * - webhooks: the link of one account has up to 6,400 visits a second, with long headers. Once the account has no
 *   webhook, then ten webhooks for its clicks. Beside it another account lists its links, and its own link has a visit
 *   a second.
 * - slow bodies: 1,500 requests with invented keys declare a body and never send it, from one address and from 200.
 *   Beside them an honest key sends 90 requests.
 * - strangers: 100 connections ask one page that costs a look-up. Beside them an honest key sends requests, one after
 *   the other.
 *
 *   npm run bench -- neighbours [--only EXPRESSION] [--seconds 60] [--rounds 3]
 *   WAYPOST_TEST_TARGET=stack npm run bench -- neighbours      the same against `npm run stack`
 *
 * Needs `wrk`. The references are the same visits without webhooks, and as many connections that ask `/healthz`, in the
 * same run. Goals: ten webhooks make neither the other account's p99, nor the age of its figures, nor the bytes on disk
 * per visit more than 1.5 times as large; slow bodies refuse no request of the honest key; strangers make its p99 at
 * most 1.5 times as large as `/healthz` does.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { formatApiKey } from '../libs/domain/src/api-key.ts';
import { apiClient } from '../services/all-in-one/test/waypost-process.ts';
import { flood } from './lib/flood.ts';
import { atLeast, atMost, endOfGoals, exactly, figure } from './lib/goals.ts';
import { optionsOf } from './lib/options.ts';
import { makeLinks, median, quantile, startProduct } from './lib/product.ts';

const options = optionsOf({ only: '', seconds: '60', rounds: '3' });
const only = new RegExp(options.only);
const SECONDS = Number(options.seconds);
const ROUNDS = Number(options.rounds);
const WEBHOOKS = 10;
/** Each visits every DELAY_MS, so there are at most 6,400 visits a second. */
const VISITORS = 64;
const DELAY_MS = 10;
const SLOW_BODIES = 1_500;
const STRANGERS = 100;
const BESIDE_SECONDS = 8;
const ADDRESSES = 200;
/** Addresses that a proxy in front names. */
const NETWORK = '198.51.100.';
const RATIO = 1.5;
/** Figures that are younger than this are within the promise of 15 s, whatever the ratio. */
const FRESH_ENOUGH_MS = 15_000;

type Product = Awaited<ReturnType<typeof startProduct>>;

for (const [name, run] of Object.entries({ webhooks, 'slow bodies': slowBodies, strangers }))
  if (only.test(name)) await run();
endOfGoals();
process.exit();

async function withProduct<T>(work: (product: Product) => Promise<T>): Promise<T> {
  const product = await startProduct({ TRUSTED_PROXIES: '127.0.0.1', WEBHOOK_HOSTS_ALLOWED: '127.0.0.0/8' });
  try {
    return await work(product);
  } finally {
    await product.remove();
  }
}

interface Beside {
  readonly visits: number;
  readonly p99: number;
  readonly freshMs: number;
  readonly counted: number;
  readonly bytesPerVisit: number;
}

async function webhooks(): Promise<void> {
  const seen = { without: [] as Beside[], with: [] as Beside[] };
  for (let round = 0; round < ROUNDS; round++)
    for (const side of ['without', 'with'] as const) {
      const beside = await visited(side === 'with' ? WEBHOOKS : 0);
      seen[side].push(beside);
      console.log(
        `${side} webhooks: ${Math.round(beside.visits)} visits a second, the other account: p99 ${beside.p99.toFixed(0)} ms, figures after ${beside.freshMs.toFixed(0)} ms, ${beside.counted} of its clicks counted, ${beside.bytesPerVisit.toFixed(0)} bytes on disk per visit`,
      );
    }
  const of = (side: 'with' | 'without', what: keyof Beside) => median(seen[side].map((beside) => beside[what]));
  figure('ten webhooks: visits a second, ratio', of('with', 'visits') / of('without', 'visits'));
  figure("ten webhooks: the other account's p99, ratio", of('with', 'p99') / of('without', 'p99'), '', atMost(RATIO));
  const fresh = atMost(Math.max(FRESH_ENOUGH_MS, RATIO * of('without', 'freshMs')));
  figure('ten webhooks: its clicks are counted after', of('with', 'freshMs'), 'ms', fresh);
  figure(
    'ten webhooks: its clicks that are counted',
    Math.min(...seen.with.map(({ counted }) => counted)),
    '',
    atLeast(SECONDS - 1),
  );
  const disk = of('with', 'bytesPerVisit') / of('without', 'bytesPerVisit');
  figure('ten webhooks: bytes on disk per visit, ratio', disk, '', atMost(RATIO));
}

/** The link of the first account has many visits, beside an ordinary second account. */
async function visited(webhookCount: number): Promise<Beside> {
  return withProduct(async (product) => {
    const receiver = http.createServer((request, response) => request.resume().once('end', () => response.end()));
    await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve));
    const { port } = receiver.address() as net.AddressInfo;
    const [busy] = await makeLinks(product.call, 1);
    for (let i = 0; i < webhookCount; i++)
      await product.call('POST', '/api/v1/webhooks', {
        url: `http://127.0.0.1:${port}/${i}`,
        events: ['link.clicked'],
      });
    const other = apiClient(product.api, (await product.newKey()).key);
    const [own] = await makeLinks(other, 1);
    await pause(3_000);

    const before = bytesIn(product.dataDir);
    let visiting = true;
    const flooding = flood({
      url: product.redirect,
      slugs: [busy!],
      request: `"GET /" .. slugs[1] .. rest`,
      rest: ` HTTP/1.1\r\nHost: go.example.org\r\nUser-Agent: ${'"'.repeat(500)}\r\nReferer: http://${'a'.repeat(500)}\r\n\r\n`,
      connections: VISITORS,
      delayMs: DELAY_MS,
      seconds: SECONDS,
    });
    const visits: number[] = [];
    const ages: number[] = [];
    const visitor = (async () => {
      while (visiting && visits.length < SECONDS) {
        await fetch(`${product.redirect}/${own}`, {
          redirect: 'manual',
          headers: { 'User-Agent': 'Mozilla/5.0 Chrome/142.0' },
        });
        visits.push(performance.now());
        await pause(1_000);
      }
    })();
    const counting = (async () => {
      const until = performance.now() + (SECONDS + 60) * 1_000;
      while ((visiting || ages.length < visits.length) && performance.now() < until) {
        const { body } = await other('GET', `/api/v1/links/${own}/analytics`).catch(() => ({ body: undefined }));
        while (ages.length < (body?.total_clicks ?? 0)) ages.push(performance.now() - visits[ages.length]!);
        await pause(500);
      }
    })();
    const times: number[] = [];
    const asking = (async () => {
      while (visiting) {
        const began = performance.now();
        await other('GET', '/api/v1/links').catch(() => undefined);
        times.push(performance.now() - began);
        await pause(50);
      }
    })();
    const { answers, perSecond } = await flooding;
    visiting = false;
    await Promise.all([visitor, asking, counting]);
    const bytesPerVisit = (bytesIn(product.dataDir) - before) / answers;
    receiver.close();
    receiver.closeAllConnections();
    const missing = visits.slice(ages.length).map((at) => performance.now() - at);
    return {
      visits: perSecond,
      p99: quantile(times, 0.99),
      freshMs: quantile([...ages, ...missing], 0.99),
      counted: ages.length,
      bytesPerVisit,
    };
  });
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).reduce((sum, entry) => {
    if (!entry.isFile()) return sum;
    // An engine may delete a file in the meantime.
    return sum + (statSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.blocks ?? 0) * 512;
  }, 0);
}

async function slowBodies(): Promise<void> {
  await withProduct(async (product) => {
    for (const where of ['/first-run', '/session/passkey', '/api/v1/links'])
      for (const addresses of [1, ADDRESSES]) {
        const stop = holdBodies(product.api, where, addresses);
        await pause(3_000);
        const seen = await honest(product, 90, 50);
        stop();
        const what = `slow bodies to ${where} from ${addresses === 1 ? '1 address' : `${addresses} addresses`}`;
        figure(`${what}: an honest key, p99`, seen.p99, 'ms');
        figure(`${what}: an honest key, refused of 90`, seen.refused, '', exactly(0));
        await pause(6_000); // what is left of them is answered within 5 s
      }
  });
}

/** Keeps requests open that wait for a body, and replaces each that is answered. Returns what ends them. */
function holdBodies(api: string, where: string, addresses: number): () => void {
  const { hostname, port, host } = new URL(api);
  const sockets = new Set<net.Socket>();
  let running = true;
  let opened = 0;
  const open = () => {
    if (!running) return;
    const n = opened++;
    const socket = net.connect(Number(port), hostname, () =>
      socket.write(
        `POST ${where} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nAuthorization: Bearer x${n}\r\nX-Forwarded-For: ${NETWORK}${n % addresses}\r\nContent-Length: 1000\r\n\r\n`,
      ),
    );
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', () => socket.destroy());
    socket.on('close', () => {
      sockets.delete(socket);
      if (running) setTimeout(open, 5);
    });
  };
  for (let i = 0; i < SLOW_BODIES; i++) setTimeout(open, i * 2);
  return () => {
    running = false;
    for (const socket of sockets) socket.destroy();
  };
}

async function strangers(): Promise<void> {
  await withProduct(async (product) => {
    const token = () => randomBytes(32).toString('base64url');
    const key = () => formatApiKey(randomBytes(32));
    /** What stands before and after the token of each request. */
    const kinds: Record<string, readonly [before: string, token: () => string, after: string]> = {
      '/session with a cookie': ['/session HTTP/1.1\r\nCookie: waypost=', token, ''],
      '/sign-in/<token>': ['/sign-in/', token, ' HTTP/1.1'],
      '/report/<number>': ['/report/', token, ' HTTP/1.1'],
      '/api/v1/links with a key': ['/api/v1/links HTTP/1.1\r\nAuthorization: Bearer ', key, ''],
      '/api/v1/links with a cookie': ['/api/v1/links HTTP/1.1\r\nCookie: waypost=', token, ''],
      '/mcp with a key': ['/mcp HTTP/1.1\r\nAuthorization: Bearer ', key, ''],
    };
    await honest(product, 300, 5);
    for (const [name, [before, tokenOf, after]] of Object.entries(kinds))
      for (const addresses of [1, ADDRESSES]) {
        const beside = async (target: string, keys: readonly string[]) => {
          const flooding = flood({
            url: product.api,
            request: `"GET ${target}\\r\\nX-Forwarded-For: ${NETWORK}" .. n % ${addresses} .. rest`,
            rest: '\r\nHost: localhost\r\n\r\n',
            keys,
            connections: STRANGERS,
            seconds: BESIDE_SECONDS,
            counts: true,
          });
          await pause(1_000);
          const seen = await honest(product, 300, 10, (BESIDE_SECONDS - 2) * 1_000);
          return { seen, ...(await flooding) };
        };
        const ratios: number[] = [];
        let refused = 0;
        for (let round = 0; round < ROUNDS; round++) {
          const health = await beside('/healthz HTTP/1.1', []);
          const target = `${before}" .. keys[n % #keys + 1] .. "${after}`;
          const costly = await beside(target.replaceAll('\r\n', '\\r\\n'), Array.from({ length: 1_000 }, tokenOf));
          refused += costly.seen.refused;
          ratios.push(costly.seen.p99 / health.seen.p99);
          console.log(
            `${name} from ${addresses}: ${Math.round(costly.perSecond)} a second ${JSON.stringify(costly.statuses)}, an honest key's p99 ${costly.seen.p99.toFixed(1)} ms; /healthz ${Math.round(health.perSecond)} a second, ${health.seen.p99.toFixed(1)} ms`,
          );
        }
        const what = `strangers at ${name} from ${addresses === 1 ? '1 address' : `${addresses} addresses`}`;
        figure(`${what}: an honest key's p99, ratio to /healthz`, median(ratios), '', atMost(RATIO));
        figure(`${what}: an honest key, refused`, refused, '', exactly(0));
      }
  });
}

/** Sends requests of an honest key, one after the other with a pause between, for at most `withinMs`. */
async function honest({ call }: Product, count: number, pauseMs: number, withinMs = Number.POSITIVE_INFINITY) {
  const times: number[] = [];
  const began = performance.now();
  let refused = 0;
  while (times.length < count && performance.now() - began < withinMs) {
    const at = performance.now();
    const { status } = await call('GET', '/api/v1/account').catch(() => ({ status: 0 }));
    times.push(performance.now() - at);
    if (status !== 200) refused += 1;
    await pause(pauseMs);
  }
  return { p99: quantile(times, 0.99), refused };
}
