/** Decides before any look-up whose request is worked on, so that a refusal costs little. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { unavailable } from '@waypost/domain';
import { clientAddress, networkOf, type TrustedProxies, type UntrustedProxies } from '@waypost/process';
import { countsByKey, putLast, type Slots } from '@waypost/resilience';
import type { Logger } from '@waypost/telemetry';
import { OPEN_BODIES, REQUESTS, type SlotsOf, STRANGERS, UNDER_WAY } from '../limits.ts';
import type { ApiCounts } from '../metrics.ts';
import type { Place } from '../place.ts';
import type { Authentication } from './authentication.ts';
import { errorBody } from './errors.ts';
import { requestId } from './identify.ts';
import { securityHeaders } from './middleware.ts';
import { perAddress, tooMany } from './per-address.ts';

const RETRY_AFTER_SECONDS = 5;
const MESSAGE = 'The server is handling too many requests. This request was not processed. Try again later.';
/** Requests that are refused within this time share one `error_id` and one line in the log. */
const NOTED_FOR_MS = 1_000;

/** A request adds a listener in each layer that it passes. Node warns of a leak above ten listeners. */
const LISTENERS_MAX = 20;

/** A stranger waits at most this long for the first slot, so that an answer within 5 s stays possible. */
const WAIT_MS = 2_000;

/** The dashboard has dozens of these, and none costs a look-up. So they wait for slots, but are not counted. */
const FILES = '/assets/';

const ALWAYS: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz']);

export interface ShedLoadDeps {
  readonly authentication: Pick<Authentication, 'credentialOf'>;
  readonly baseUrl: string;
  readonly trustedProxies: TrustedProxies;
  readonly proxies: UntrustedProxies;
  readonly logger: Pick<Logger, 'warn'>;
  readonly counts: Pick<ApiCounts, 'shed' | 'limited'>;
  readonly slotsOf: SlotsOf;
}

/**
 * A request whose credential was verified before counts for its account: above `full` requests under way, an account
 * may have `each`. All others are strangers' requests. They are limited by address, and wait for slots of their own.
 */
export function shedLoad(
  app: RequestListener,
  { authentication, baseUrl, trustedProxies, proxies, logger, counts, slotsOf }: ShedLoadDeps,
  { full, most, each, holdMs, requests, bodies } = { ...UNDER_WAY, requests: REQUESTS, bodies: OPEN_BODIES },
): RequestListener {
  const addressOf = clientAddress(trustedProxies, proxies);
  const headers = securityHeaders(baseUrl);
  const wait = perAddress(requests, () => performance.now());
  const accounts = recentlyVerified();
  const owners = underWay({ full, most, each });
  const shared: Shared = { accounts, owners, strangers: slotsOf(STRANGERS), reading: openBodies(bodies) };
  let notice: { readonly errorId: string; readonly body: string; count: number } | undefined;

  async function admitStranger(request: IncomingMessage, response: ServerResponse, place: RequestPlace): Promise<void> {
    const waitMs = request.url?.startsWith(FILES) ? 0 : wait(place);
    if (waitMs > 0) return limit(request, response, waitMs);
    const since = performance.now();
    const waiting = new AbortController();
    const abort = () => waiting.abort();
    const late = setTimeout(abort, WAIT_MS);
    response.once('close', abort);
    try {
      await place.take(waiting.signal);
    } catch {
      // The client may have hung up instead.
      if (!response.closed) shed(request, response);
      return;
    } finally {
      clearTimeout(late);
      response.off('close', abort);
    }
    if (response.closed) return;
    // A client that reads its answer slowly must not keep others waiting.
    response.once('close', () => place.leave());
    const { writeHead } = response;
    response.writeHead = ((...head: Parameters<typeof writeHead>) => {
      place.leave();
      return writeHead.apply(response, head);
    }) as typeof writeHead;
    Object.assign(response, { locals: { place, waitedMs: performance.now() - since } });
    app(request, response);
  }

  function note(): string {
    if (notice === undefined) {
      const errorId = randomUUID();
      notice = { errorId, body: JSON.stringify(errorBody(503, MESSAGE, undefined, errorId)), count: 0 };
      setTimeout(() => {
        const { count } = notice!;
        notice = undefined;
        counts.shed.inc({}, count);
        logger.warn('too many requests at the same time; some were refused', {
          error_id: errorId,
          count,
          under_way: owners.all(),
        });
      }, NOTED_FOR_MS).unref();
    }
    notice.count += 1;
    return notice.body;
  }

  const shed = (request: IncomingMessage, response: ServerResponse) =>
    refuse(request, response, 503, RETRY_AFTER_SECONDS, note());

  function limit(request: IncomingMessage, response: ServerResponse, waitMs: number): void {
    counts.limited.inc();
    const { message, retryAfterSeconds } = tooMany(waitMs);
    refuse(request, response, 429, retryAfterSeconds!, JSON.stringify(errorBody(429, message)));
  }

  function refuse(request: IncomingMessage, response: ServerResponse, status: number, seconds: number, body: string) {
    setTimeout(() => {
      if (response.destroyed) return;
      const own = {
        'X-Request-Id': requestId(request.headers['x-request-id']?.toString()),
        'Retry-After': seconds,
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': Buffer.byteLength(body),
      };
      response.writeHead(status, { ...headers, ...own }).end(body);
    }, holdMs);
  }

  return (request, response) => {
    if (ALWAYS.has(request.url)) return app(request, response);
    response.setMaxListeners(LISTENERS_MAX);
    const credential = authentication.credentialOf(request);
    const address = addressOf(request);
    const place = new RequestPlace(shared, request, response, { credential, address, isShared: proxies.has(address) });
    const accountId = credential && accounts.of(credential);
    if (accountId === undefined) void admitStranger(request, response, place);
    else if (!place.enter(accountId)) shed(request, response);
    else {
      Object.assign(response, { locals: { place } });
      app(request, response);
    }
  };
}

interface Shared {
  readonly accounts: ReturnType<typeof recentlyVerified>;
  readonly owners: ReturnType<typeof underWay>;
  readonly strangers: Slots;
  readonly reading: ReturnType<typeof openBodies>;
}

interface Sender {
  readonly credential: string | undefined;
  readonly address: string;
  readonly isShared: boolean;
}

/** The place of one request: that of a stranger until its credential is verified. */
class RequestPlace implements Place {
  readonly network: string;
  readonly site: string;
  readonly shared: boolean;
  readonly #all: Shared;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #credential: string | undefined;
  #isStranger = true;
  #release: (() => void) | undefined;

  constructor(all: Shared, request: IncomingMessage, response: ServerResponse, sender: Sender) {
    this.network = networkOf(sender.address, 64);
    this.site = networkOf(sender.address, 48);
    this.shared = sender.isShared;
    this.#all = all;
    this.#request = request;
    this.#response = response;
    this.#credential = sender.credential;
  }

  /** Returns false if the account has too many requests under way. */
  enter(accountId: string): boolean {
    this.#isStranger = false;
    this.leave();
    return this.#all.owners.enter(accountId, this.#response);
  }

  async take(signal: AbortSignal): Promise<void> {
    this.#release = await this.#all.strangers.take(this.site, signal);
  }

  leave(): void {
    this.#release?.();
    this.#release = undefined;
  }

  verified(accountId: string): void {
    if (this.#credential !== undefined) this.#all.accounts.add(this.#credential, accountId);
    if (this.#isStranger && !this.enter(accountId)) throw unavailable(MESSAGE);
  }

  refused(): void {
    if (this.#credential !== undefined) this.#all.accounts.delete(this.#credential);
  }

  async whileReading<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (!this.#isStranger || this.#request.complete) return read();
    this.leave();
    const body = await this.#all.reading(this, read);
    await this.take(signal);
    return body;
  }
}

const CREDENTIALS_MAX = 10_000;

/**
 * The accounts of the credentials that were valid at their last use, by their hashes. This decides who waits for whom,
 * and nothing else: each request is still authenticated.
 */
function recentlyVerified() {
  const accounts = new Map<string, string>();
  return {
    of: (credential: string) => accounts.get(credential),
    add(credential: string, accountId: string) {
      putLast(accounts, credential, accountId, CREDENTIALS_MAX);
    },
    delete: (credential: string) => accounts.delete(credential),
  };
}

function underWay({ full, most, each }: { readonly full: number; readonly most: number; readonly each: number }) {
  const byAccount = countsByKey();
  let all = 0;
  return {
    all: () => all,
    /** Returns false if the account has too many requests under way. */
    enter(accountId: string, response: ServerResponse): boolean {
      // The client hung up while its credential was verified, and `close` does not come again.
      if (response.closed) return true;
      if (all >= most || (all >= full && byAccount.of(accountId) >= each)) return false;
      all += 1;
      const release = byAccount.add(accountId);
      response.once('close', () => {
        all -= 1;
        release();
      });
      return true;
    },
  };
}

/** Bounds incomplete bodies of strangers: an address may have `each`, and above `most` the oldest ends. */
function openBodies({ most, each }: { readonly most: number; readonly each: number }) {
  const open = new Set<() => void>();
  const byNetwork = countsByKey();
  return async <T>({ network, shared }: Place, read: () => Promise<T>): Promise<T> => {
    if (byNetwork.of(network) >= each && !shared) throw tooMany(1_000);
    for (const endOldest of open) {
      if (open.size < most) break;
      endOldest();
    }
    const release = byNetwork.add(network);
    const { promise: ended, reject } = Promise.withResolvers<never>();
    const end = () => {
      open.delete(end);
      reject(unavailable(MESSAGE));
    };
    open.add(end);
    try {
      return await Promise.race([read(), ended]);
    } finally {
      open.delete(end);
      release();
    }
  };
}
