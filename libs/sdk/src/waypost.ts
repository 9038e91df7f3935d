import { type Administration, administration } from './administration.ts';
import type {
  Account,
  Alive,
  Analytics,
  ApiKeyList,
  Case,
  ChangedWebhook,
  Checked,
  CheckedMany,
  Created,
  CreatedApiKey,
  CreatedMany,
  CreatedWebhook,
  DeletedApiKey,
  DeletedWebhook,
  Link,
  LinkClicks,
  LinkEdit,
  LinkFacets,
  LinkPage,
  LinkScan,
  NewApiKey,
  NewLink,
  NewWebhook,
  Overview,
  Readiness,
  RotatedWebhook,
  TagChange,
  TaggedLinks,
  UrlCheck,
  WebhookChange,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookEndpoint,
  WebhookList,
} from './api-types.ts';
import { OPERATIONS, type Operations } from './api-types.ts';
import { type BulkEvent, type BulkOptions, bulk } from './bulk.ts';
import { type Quota, WaypostError } from './errors.ts';
import { addressOf, type Query, withQuery } from './paths.ts';
import { randomKey } from './random-key.ts';
import {
  type Call,
  type CallOptions,
  type InputOf,
  type Request,
  requester,
  sleep,
  type WaypostOptions,
} from './request.ts';
import { webCrypto } from './web-crypto.ts';

export type ListQuery = Operations['listLinks']['query'];
export type ListFilter = Omit<ListQuery, 'page' | 'limit'>;
export type AnalyticsQuery = Operations['getAnalytics']['query'];
export type QrQuery = Operations['getQrCode']['query'];
export type DeliveryQuery = Operations['listWebhookDeliveries']['query'];
export type DeleteKeyQuery = Operations['deleteKey']['query'];

export interface RequestInput extends CallOptions {
  readonly query?: Query;
  readonly body?: unknown;
}

export interface CreateOptions extends CallOptions {
  /**
   * If the same key is sent with the same links within 24 hours, no new link is created. By default the client
   * generates a key.
   */
  readonly idempotencyKey?: string | undefined;
}

/** If links keep leaving the list, reading it again would never end, so the number of attempts is limited. */
const LIST_PASSES = 5;

/** A link that changes moves in a list with this order, from an unread page to a read one. */
const MOVING_SORTS = ['updated_at', 'status', 'title', 'ends_at'] as const;

/** The maximum of the API. */
const CLICKS_AT_ONCE = 100;

/**
 * The client for one Waypost server and one key. Methods reject with `WaypostError`, or with `TypeError` for an invalid
 * slug or id.
 */
export class Waypost {
  readonly admin: Administration = administration((operation, input) => this.call(operation, input));
  readonly #request: Request;
  readonly #sleep: (ms: number, signal?: AbortSignal) => Promise<void>;

  constructor(options: WaypostOptions) {
    this.#request = requester(options);
    this.#sleep = options.sleep ?? sleep;
  }

  /** Creates a link. Retries use the same `Idempotency-Key`, so that only one link is created. */
  create(link: NewLink, options?: CreateOptions): Promise<Created> {
    return this.#create('createLink', link, options) as Promise<Created>;
  }

  /** Creates up to 500 links, all or none. */
  createMany(links: readonly NewLink[], options?: CreateOptions): Promise<CreatedMany> {
    return this.#create('createLinks', { links }, options) as Promise<CreatedMany>;
  }

  /** Checks and scans the link as `create` does, but creates nothing. */
  check(link: NewLink, options?: CallOptions): Promise<Checked> {
    return this.call('createLink', { query: { dry_run: 'true' }, body: link, ...options }) as Promise<Checked>;
  }

  /** Checks and scans the links as `createMany` does, but creates nothing. */
  checkMany(links: readonly NewLink[], options?: CallOptions): Promise<CheckedMany> {
    return this.call('createLinks', {
      query: { dry_run: 'true' },
      body: { links },
      ...options,
    }) as Promise<CheckedMany>;
  }

  /** Resolves to what a scan finds about any address, and why. Creates nothing, and needs only the scope `read`. */
  checkUrl(url: string, options?: CallOptions): Promise<UrlCheck> {
    return this.call('checkUrl', { body: { url }, ...options });
  }

  /**
   * Creates any number of links, in batches within the quota. Store each event before you request the next one. After a
   * crash, pass the stored events as `earlier` to continue; no link is created twice.
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

  /** Resolves to the account of the key, its scopes, the remaining quota, and the address of short links. */
  account(options?: CallOptions): Promise<Account> {
    return this.call('getAccount', options);
  }

  /** Resolves to the active keys of the account. This method and the next two need the scope `admin`. */
  keys(options?: CallOptions): Promise<ApiKeyList> {
    return this.call('listKeys', options);
  }

  /** Only this response contains the key. The client does not retry this if the key may already exist. */
  createKey(key: NewApiKey, options?: CallOptions): Promise<CreatedApiKey> {
    return this.call('createKey', { body: key, once: true, ...options });
  }

  /** The key is refused from the next request on. Webhooks that it created still work unless they are disabled. */
  deleteKey(id: string, query: DeleteKeyQuery = {}, options?: CallOptions): Promise<DeletedApiKey> {
    return this.call('deleteKey', { path: { id }, query, ...options });
  }

  list(query: ListQuery = {}, options?: CallOptions): Promise<LinkPage> {
    return this.call('listLinks', { query, ...options });
  }

  /**
   * Yields each matching link of the account once, and reads the pages when they are needed. If the total decreases
   * between two pages, links may have moved to an earlier page. Those pages are read again at the end, a few times at
   * most. If one link leaves and another joins, the total does not show it, and a link may be missed. New links cause
   * no such gap if the list is sorted by `created_at` in descending order. If the order is by a field that changes, the
   * links are read in that order, kept in memory and sorted at the end. `clicks` is a ranking, which clicks change.
   */
  async *listAll(filter: ListFilter = {}, options?: CallOptions): AsyncGenerator<Link, void, undefined> {
    const { order = 'desc' } = filter;
    const field = MOVING_SORTS.find((sort) => sort === filter.sort);
    if (field === undefined) return yield* this.#allPages(filter, options);
    const links: Link[] = [];
    for await (const link of this.#allPages({ ...filter, sort: 'created_at', order: 'desc' }, options)) {
      links.push(link);
    }
    yield* links.sort(inOrder(field, order));
  }

  async *#allPages(filter: ListFilter, options?: CallOptions): AsyncGenerator<Link, void, undefined> {
    const slugs = new Set<string>();
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
          if (!slugs.has(link.slug)) yield link;
          slugs.add(link.slug);
        }
      }
      if (fewer === 0 || pass === LIST_PASSES) return;
      start = Math.max(1, firstMoved - Math.ceil(fewer / limit));
    }
  }

  /** Resolves to the number of links with each status, and to the tags in use. */
  facets(options?: CallOptions): Promise<LinkFacets> {
    return this.call('getFacets', options);
  }

  async get(slug: string, options?: CallOptions): Promise<Link> {
    return this.call('getLink', { path: { slug }, ...options });
  }

  /** Changes what a link is for, or when it ends. An absent field stays as it is. */
  async update(slug: string, edit: LinkEdit, options?: CallOptions): Promise<Link> {
    return this.call('updateLink', { path: { slug }, body: edit, ...options });
  }

  /** Adds and removes tags of up to 500 links, of all or none. */
  async tag(change: TagChange, options?: CallOptions): Promise<TaggedLinks> {
    return this.call('tagLinks', { body: change, ...options });
  }

  async revoke(slug: string, options?: CallOptions): Promise<Link> {
    try {
      return await this.call('revokeLink', { path: { slug }, ...options });
    } catch (error) {
      // If an earlier attempt lost its response, it may have revoked the link. The call has then succeeded.
      if (!(error instanceof WaypostError && error.status === 400 && error.outcomeUnknown)) throw error;
      const link = await this.get(slug, options);
      if (link.status !== 'revoked') throw error;
      return link;
    }
  }

  /** Asks an administrator to review a flagged link. If a request is already open, resolves to that request. */
  async requestReview(slug: string, message: string, options?: CallOptions): Promise<Case> {
    return this.call('requestReview', { path: { slug }, body: { message }, ...options });
  }

  /** Resolves to the current verdict about the destination, its reasons, and the earlier findings and decisions. */
  async scan(slug: string, options?: CallOptions): Promise<LinkScan> {
    return this.call('getScan', { path: { slug }, ...options });
  }

  /** Resolves to a picture of the QR code of the short URL: the text of an SVG in UTF-8, or a PNG. */
  async qr(slug: string, query: QrQuery = {}, options?: CallOptions): Promise<Uint8Array> {
    return this.call('getQrCode', { path: { slug }, query, bytes: true, ...options });
  }

  async analytics(slug: string, query: AnalyticsQuery = {}, options?: CallOptions): Promise<Analytics> {
    return this.call('getAnalytics', { path: { slug }, query, ...options });
  }

  /** Resolves to the clicks of all links of the account, to the most clicked, and to what changed. */
  overview(query: AnalyticsQuery = {}, options?: CallOptions): Promise<Overview> {
    return this.call('getOverview', { query, ...options });
  }

  /** Resolves to the clicks by day of up to 100 links, in the order of `slugs`. For more links, see `withClicks`. */
  clicks(slugs: readonly string[], query: AnalyticsQuery = {}, options?: CallOptions): Promise<LinkClicks> {
    return this.call('getLinkClicks', { query: { ...query, slugs }, ...options });
  }

  /** Yields each of these links with its clicks by day. One request is for 100 links. */
  async *withClicks(
    links: Iterable<Link> | AsyncIterable<Link>,
    query: AnalyticsQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<{ link: Link; clicks: LinkClicks['links'][number] }, void, undefined> {
    for await (const some of batches(links, CLICKS_AT_ONCE)) {
      const slugs = some.map(({ slug }) => slug);
      const answer = await this.clicks(slugs, query, options);
      for (const [i, link] of some.entries()) yield { link, clicks: answer.links[i]! };
    }
  }

  listWebhooks(options?: CallOptions): Promise<WebhookList> {
    return this.call('listWebhooks', options);
  }

  /**
   * Sends the events of your links to an address from now on. Only this response contains the secret. The client does
   * not retry this if the response was lost; list the webhooks to see whether it was created.
   */
  createWebhook(webhook: NewWebhook, options?: CallOptions): Promise<CreatedWebhook> {
    return this.call('createWebhook', { body: webhook, once: true, ...options });
  }

  async getWebhook(id: string, options?: CallOptions): Promise<WebhookEndpoint> {
    return this.call('getWebhook', { path: { webhook: id }, ...options });
  }

  /**
   * Replaces the address and the events, and enables or disables the webhook. With another host, only this response
   * contains the new secret, so the client does not retry this if the response was lost.
   */
  async changeWebhook(id: string, change: WebhookChange, options?: CallOptions): Promise<ChangedWebhook> {
    return this.call('changeWebhook', { path: { webhook: id }, body: change, once: true, ...options });
  }

  async deleteWebhook(id: string, options?: CallOptions): Promise<DeletedWebhook> {
    return this.call('deleteWebhook', { path: { webhook: id }, ...options });
  }

  /**
   * Messages are signed with the earlier secret, too, for 24 hours. The client does not retry this, so that no secret
   * is lost.
   */
  async rotateWebhookSecret(id: string, options?: CallOptions): Promise<RotatedWebhook> {
    return this.call('rotateWebhookSecret', { path: { webhook: id }, once: true, ...options });
  }

  /** Sends one message of the type `webhook.test`. */
  async testWebhook(id: string, options?: CallOptions): Promise<WebhookDelivery> {
    return this.call('testWebhook', { path: { webhook: id }, ...options });
  }

  /** Resolves to messages to a webhook with their outcomes, newest first. `next` is `before` of the next page. */
  async listDeliveries(id: string, query: DeliveryQuery = {}, options?: CallOptions): Promise<WebhookDeliveryPage> {
    return this.call('listWebhookDeliveries', { path: { webhook: id }, query, ...options });
  }

  /** Sends a message again with the same id. */
  async replayDelivery(id: string, delivery: string, options?: CallOptions): Promise<WebhookDelivery> {
    return this.call('replayWebhookDelivery', { path: { webhook: id, delivery }, ...options });
  }

  health(options?: CallOptions): Promise<Alive> {
    return this.call('getHealth', options);
  }

  /** Resolves to whether the service can do its work. `not_ready` is a valid answer, not an error. */
  readiness(options?: CallOptions): Promise<Readiness> {
    return this.call('getReadiness', { answersWith: 503, ...options });
  }

  /** Calls any operation of the API by its id in `/openapi.json`. */
  async call<Id extends keyof Operations>(operation: Id, input: InputOf<Id> = {}): Promise<Operations[Id]['answer']> {
    const [method, template] = OPERATIONS[operation];
    const { path = {}, query = {}, ...call } = input;
    return this.#request({ ...call, method, path: addressOf(template, path, query) }) as Promise<
      Operations[Id]['answer']
    >;
  }

  /**
   * Sends any request of the API, also one that this version has no method for. `path` begins with a slash. A POST is
   * not retried if it may have taken effect.
   */
  async request(method: Call['method'], path: string, options: RequestInput = {}): Promise<unknown> {
    if (!path.startsWith('/')) throw new TypeError('The path must begin with a slash.');
    const { query = {}, ...call } = options;
    return this.#request({ ...call, method, path: withQuery(path, query), ...(method === 'POST' && { once: true }) });
  }

  async #create<Id extends 'createLink' | 'createLinks'>(
    operation: Id,
    body: Operations[Id]['body'],
    { idempotencyKey, ...options }: CreateOptions = {},
  ) {
    return this.call(operation, { body, idempotencyKey: idempotencyKey ?? (await newKey()), ...options });
  }
}

/** As the API sorts: an absent value comes last, and ties are in the order of slugs. */
function inOrder(field: (typeof MOVING_SORTS)[number], order: 'asc' | 'desc') {
  return (a: Link, b: Link): number => {
    const [one, other] = [a[field], b[field]];
    const difference =
      one === null || other === null
        ? Number(one === null) - Number(other === null)
        : byBytes(one, other) * (order === 'asc' ? 1 : -1);
    return difference || byBytes(a.slug, b.slug);
  };
}

/** Texts of UTF-8 have the order of their code points, which is not that of the units that `<` compares. */
function byBytes(a: string, b: string): number {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  return (a.codePointAt(i) ?? -1) - (b.codePointAt(i) ?? -1);
}

function quotaOf({ quota: { limit, used, resets_at } }: Account): Quota {
  return { limit, used, remaining: Math.max(0, limit - used), resetAt: new Date(resets_at) };
}

async function* batches<T>(items: Iterable<T> | AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

const newKey = async () => randomKey(await webCrypto());
