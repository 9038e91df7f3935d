import type {
  AccountLimit,
  Alive,
  Analytics,
  Checked,
  CheckedMany,
  Created,
  CreatedMany,
  CreatedWebhook,
  components,
  DeletedWebhook,
  Link,
  LinkPage,
  NewLink,
  NewWebhook,
  Readiness,
  Review,
  RotatedWebhook,
  WebhookChange,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookEndpoint,
  WebhookList,
} from './api-types.ts';
import { type BulkEvent, type BulkOptions, bulk } from './bulk.ts';
import { type Quota, WaypostError } from './errors.ts';
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

/** The API of one Waypost for one key. Every method rejects with `WaypostError`, or `TypeError` for what cannot be a slug or an id. */
export class Waypost {
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
        quota: () => this.quota({ signal }),
        newKey,
        sleep: (ms) => this.#sleep(ms, signal),
      },
      options,
    );
  }

  /** What the account may create in this hour. Needs the scope `write`. */
  async quota(options?: CallOptions): Promise<Quota> {
    // A dry run of nothing is refused, with the headers of any creation.
    const path = '/api/v1/links/bulk?dry_run=true';
    const { quota } = await this.#request({ method: 'POST', path, body: { links: [] }, answersWith: 400, ...options });
    if (quota === undefined) throw new WaypostError('The answer does not tell the quota.', { code: 'not_waypost' });
    return quota;
  }

  /** One page of your links. */
  list(query: ListQuery = {}, options?: CallOptions): Promise<LinkPage> {
    return this.#call({ method: 'GET', path: `/links${queryOf(query)}`, ...options });
  }

  /** All your links that match, page by page as they are asked for. A link that moves to a later page comes once. */
  async *listAll(filter: ListFilter = {}, options?: CallOptions): AsyncGenerator<Link, void, undefined> {
    const seen = new Set<string>();
    for (let page = 1; ; page++) {
      const { data, total_pages } = await this.list({ ...filter, page, limit: 100 }, options);
      for (const link of data) {
        if (!seen.has(link.slug)) yield link;
        seen.add(link.slug);
      }
      if (page >= total_pages) return;
    }
  }

  async get(slug: string, options?: CallOptions): Promise<Link> {
    return this.#call({ method: 'GET', path: linkPath(slug), ...options });
  }

  /** The short URL of a link. Needs the scopes `read` and `write`: only creations tell where short links are served. */
  async shortUrl(slug: string, options?: CallOptions): Promise<string> {
    const { destination_url } = await this.get(slug, options);
    const another = await newKey();
    const { short_url } = await this.check({ destination_url, custom_slug: another }, options);
    if (!short_url?.endsWith(another)) throw new WaypostError('The answer has no short URL.', { code: 'not_waypost' });
    return `${short_url.slice(0, -another.length)}${slug}`;
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

  /** How many links an account may make per hour; null: the default. Needs the scope `admin`. */
  setLimit(email: string, creationsPerHour: number | null, options?: CallOptions): Promise<AccountLimit> {
    const path = `/admin/accounts/${encodeURIComponent(email)}/limit`;
    return this.#call({ method: 'PUT', path, body: { creations_per_hour: creationsPerHour }, ...options });
  }

  /** Decides about a flagged link of any account. Needs the scope `admin`. */
  async review(slug: string, review: Review, options?: CallOptions): Promise<Link> {
    return this.#call({ method: 'POST', path: `/admin${linkPath(slug)}/review`, body: review, ...options });
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
    return (await this.#request(call)).body as T;
  }
}

async function newKey(): Promise<string> {
  return (await webCrypto()).randomUUID();
}

const linkPath = (slug: string) => `/links/${pathPart(slug, 'A slug')}`;
const webhookPath = (id: string) => `/webhooks/${pathPart(id, 'An id')}`;

/** What could not be a slug or an id must not become another path of the API. */
function pathPart(text: string, what: string): string {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) throw new TypeError(`${what} is made of letters, digits, "_" and "-".`);
  return text;
}

function queryOf(query: Readonly<Record<string, string | number | readonly string[] | undefined>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value ?? []].flat()) search.append(name, String(each));
  }
  const text = String(search);
  return text === '' ? '' : `?${text}`;
}
