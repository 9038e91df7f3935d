import { type Administration, administration } from './administration.ts';
import type {
  Account,
  Alive,
  Analytics,
  ApiKeyList,
  Case,
  Checked,
  CheckedMany,
  Created,
  CreatedApiKey,
  CreatedMany,
  CreatedWebhook,
  components,
  DeletedApiKey,
  DeletedWebhook,
  Link,
  LinkFacets,
  LinkPage,
  LinkScan,
  NewApiKey,
  NewLink,
  NewWebhook,
  Readiness,
  RotatedWebhook,
  WebhookChange,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookEndpoint,
  WebhookList,
} from './api-types.ts';
import { type BulkEvent, type BulkOptions, bulk } from './bulk.ts';
import { type Quota, WaypostError } from './errors.ts';
import { linkPath, pathPart, queryOf, webhookPath } from './paths.ts';
import { randomKey } from './random-key.ts';
import { type Call, type CallOptions, type Request, requester, sleep, type WaypostOptions } from './request.ts';
import { webCrypto } from './web-crypto.ts';

type Parameters = components['parameters'];
type Optional<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

/** Which links, and in which order. */
export type ListFilter = Optional<Pick<Parameters, 'sort' | 'order' | 'status' | 'tag' | 'search'>>;
/** Which page of them. */
export type ListQuery = ListFilter & Optional<Pick<Parameters, 'page' | 'limit'>>;
export type AnalyticsQuery = Optional<Pick<Parameters, 'period' | 'bots'>>;
/** Which deliveries of a webhook. */
export type DeliveryQuery = Optional<Pick<Parameters, 'state' | 'before'>>;

export interface CreateOptions extends CallOptions {
  /** The same key with the same links within 24 hours makes nothing new. Made by the client unless it is given. */
  readonly idempotencyKey?: string | undefined;
}

/** While links keep leaving a list, reading it again would never end. */
const LIST_PASSES = 5;

/** The API of one Waypost for one key. Every method rejects with `WaypostError`, or `TypeError` for what cannot be a slug or an id. */
export class Waypost {
  /** What administrators do. */
  readonly admin: Administration = administration((call) => this.#call(call));
  readonly #request: Request;
  readonly #sleep: (ms: number, signal?: AbortSignal) => Promise<void>;

  constructor(options: WaypostOptions) {
    this.#request = requester(options);
    this.#sleep = options.sleep ?? sleep;
  }

  /** Makes a link. It is tried again with one `Idempotency-Key`, so that it is made once. */
  create(link: NewLink, options?: CreateOptions): Promise<Created> {
    return this.#create('/links', link, options);
  }

  /** Makes up to 500 links, all or none. */
  createMany(links: readonly NewLink[], options?: CreateOptions): Promise<CreatedMany> {
    return this.#create('/links/bulk', { links }, options);
  }

  /** Checks and scans as `create` does, but makes nothing. */
  check(link: NewLink, options?: CallOptions): Promise<Checked> {
    return this.#call({ method: 'POST', path: '/links?dry_run=true', body: link, ...options });
  }

  /** Checks and scans as `createMany` does, but makes nothing. */
  checkMany(links: readonly NewLink[], options?: CallOptions): Promise<CheckedMany> {
    return this.#call({ method: 'POST', path: '/links/bulk?dry_run=true', body: { links }, ...options });
  }

  /**
   * Makes any number of links, in batches within the quota. Write down each event before you ask for the next: after a
   * crash, the events as `earlier` go on where it ended, and each row is made once.
   */
  bulk(links: readonly NewLink[], options: BulkOptions = {}): AsyncGenerator<BulkEvent, void, undefined> {
    const { signal } = options;
    return bulk(
      links,
      {
        createMany: (batch, { idempotencyKey }) => this.createMany(batch, { idempotencyKey, signal }),
        quota: async () => quotaOf(await this.account({ signal })),
        newKey,
        sleep: (ms) => this.#sleep(ms, signal),
      },
      options,
    );
  }

  /** Who asks: the account, what the key may do, what is left of the quota, and where short links are served. */
  account(options?: CallOptions): Promise<Account> {
    return this.#call({ method: 'GET', path: '/account', ...options });
  }

  /** The active keys of the account. Needs the scope `admin`, as do the two below. */
  keys(options?: CallOptions): Promise<ApiKeyList> {
    return this.#call({ method: 'GET', path: '/account/keys', ...options });
  }

  /** The key is in the answer and nowhere else. Not tried again where it may have been made. */
  createKey(key: NewApiKey, options?: CallOptions): Promise<CreatedApiKey> {
    return this.#call({ method: 'POST', path: '/account/keys', body: key, once: true, ...options });
  }

  /** It is refused from the next request on. */
  deleteKey(id: string, options?: CallOptions): Promise<DeletedApiKey> {
    return this.#call({ method: 'DELETE', path: `/account/keys/${encodeURIComponent(id)}`, ...options });
  }

  /** One page of your links. */
  list(query: ListQuery = {}, options?: CallOptions): Promise<LinkPage> {
    return this.#call({ method: 'GET', path: `/links${queryOf(query)}`, ...options });
  }

  /**
   * All your links that match, page by page as they are asked for, each once. Where the total fell between two pages, links
   * may have moved to a page that was read: those pages are read again at the end, a few times at most. What the total does
   * not show, one link more and one less, may leave a link out; sorted by `created_at` descending, new links do not.
   */
  async *listAll(filter: ListFilter = {}, options?: CallOptions): AsyncGenerator<Link, void, undefined> {
    const seen = new Set<string>();
    const limit = 100;
    for (let pass = 1, start = 1; ; pass++) {
      let before = 0;
      let fewer = 0;
      let firstMoved = 0;
      for (let page = start, pages = start; page <= pages; page++) {
        const { data, total, total_pages } = await this.list({ ...filter, page, limit }, options);
        pages = total_pages;
        fewer += Math.max(0, before - total);
        if (fewer > 0 && firstMoved === 0) firstMoved = page;
        before = total;
        for (const link of data) {
          if (!seen.has(link.slug)) yield link;
          seen.add(link.slug);
        }
      }
      if (fewer === 0 || pass === LIST_PASSES) return;
      start = Math.max(1, firstMoved - Math.ceil(fewer / limit));
    }
  }

  /** How many links have which status, and which tags are in use. */
  facets(options?: CallOptions): Promise<LinkFacets> {
    return this.#call({ method: 'GET', path: '/facets', ...options });
  }

  async get(slug: string, options?: CallOptions): Promise<Link> {
    return this.#call({ method: 'GET', path: linkPath(slug), ...options });
  }

  /** Switches a link off, at once and for good. */
  async revoke(slug: string, options?: CallOptions): Promise<Link> {
    try {
      return await this.#call({ method: 'POST', path: `${linkPath(slug)}/revoke`, ...options });
    } catch (error) {
      // An earlier try, whose answer was lost, may have revoked it: then it is as it was asked for.
      if (!(error instanceof WaypostError && error.status === 400 && error.outcomeUnknown)) throw error;
      const link = await this.get(slug, options);
      if (link.status !== 'revoked') throw error;
      return link;
    }
  }

  /** Asks an administrator to look at a flagged link again. While a request is open, a second one is answered with it. */
  async requestReview(slug: string, message: string, options?: CallOptions): Promise<Case> {
    return this.#call({ method: 'POST', path: `${linkPath(slug)}/review-request`, body: { message }, ...options });
  }

  /** What is known about the destination, why, and what was found and decided before. */
  async scan(slug: string, options?: CallOptions): Promise<LinkScan> {
    return this.#call({ method: 'GET', path: `${linkPath(slug)}/scan`, ...options });
  }

  /** The clicks of a link. */
  async analytics(slug: string, query: AnalyticsQuery = {}, options?: CallOptions): Promise<Analytics> {
    return this.#call({ method: 'GET', path: `${linkPath(slug)}/analytics${queryOf(query)}`, ...options });
  }

  listWebhooks(options?: CallOptions): Promise<WebhookList> {
    return this.#call({ method: 'GET', path: '/webhooks', ...options });
  }

  /**
   * Sends the events of your links to an address from now on. The secret is in the answer and nowhere else. It is not
   * tried again when an answer was lost: list the webhooks to see whether it was made.
   */
  createWebhook(webhook: NewWebhook, options?: CallOptions): Promise<CreatedWebhook> {
    return this.#call({ method: 'POST', path: '/webhooks', body: webhook, once: true, ...options });
  }

  async getWebhook(id: string, options?: CallOptions): Promise<WebhookEndpoint> {
    return this.#call({ method: 'GET', path: webhookPath(id), ...options });
  }

  /** Replaces its address and events, and switches it on or off. */
  async changeWebhook(id: string, change: WebhookChange, options?: CallOptions): Promise<WebhookEndpoint> {
    return this.#call({ method: 'PUT', path: webhookPath(id), body: change, ...options });
  }

  async deleteWebhook(id: string, options?: CallOptions): Promise<DeletedWebhook> {
    return this.#call({ method: 'DELETE', path: webhookPath(id), ...options });
  }

  /** The earlier secret signs for 24 hours more. Not tried again, so that no rotation is lost. */
  async rotateWebhookSecret(id: string, options?: CallOptions): Promise<RotatedWebhook> {
    return this.#call({ method: 'POST', path: `${webhookPath(id)}/secret`, once: true, ...options });
  }

  /** Sends a message of the type `webhook.test`, once. */
  async testWebhook(id: string, options?: CallOptions): Promise<WebhookDelivery> {
    return this.#call({ method: 'POST', path: `${webhookPath(id)}/test`, ...options });
  }

  /** Messages to a webhook and what became of them, the newest first; `next` is the `before` of the next page. */
  async listDeliveries(id: string, query: DeliveryQuery = {}, options?: CallOptions): Promise<WebhookDeliveryPage> {
    return this.#call({ method: 'GET', path: `${webhookPath(id)}/deliveries${queryOf(query)}`, ...options });
  }

  /** Sends a message again, with its id. */
  async replayDelivery(id: string, delivery: string, options?: CallOptions): Promise<WebhookDelivery> {
    const path = `${webhookPath(id)}/deliveries/${pathPart(delivery, 'An id')}/replay`;
    return this.#call({ method: 'POST', path, ...options });
  }

  /** Resolves if the service lives. */
  health(options?: CallOptions): Promise<Alive> {
    return this.#body({ method: 'GET', path: '/healthz', ...options });
  }

  /** Whether the service can do its work; `not_ready` is an answer, and no error. */
  readiness(options?: CallOptions): Promise<Readiness> {
    return this.#body({ method: 'GET', path: '/readyz', answersWith: 503, ...options });
  }

  async #create<T>(path: string, body: unknown, { idempotencyKey, ...options }: CreateOptions = {}): Promise<T> {
    return this.#call({
      method: 'POST',
      path,
      body,
      idempotencyKey: idempotencyKey ?? (await newKey()),
      ...options,
    });
  }

  #call<T>(call: Call): Promise<T> {
    return this.#body({ ...call, path: `/api/v1${call.path}` });
  }

  async #body<T>(call: Call): Promise<T> {
    return (await this.#request(call)) as T;
  }
}

function quotaOf({ quota: { limit, used, resets_at } }: Account): Quota {
  return { limit, used, remaining: Math.max(0, limit - used), resetAt: new Date(resets_at) };
}

const newKey = async () => randomKey(await webCrypto());
