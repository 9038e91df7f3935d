/** Every endpoint, on one screen. A method that is not here answers 405, a path that is not here 404. */
import { createHash } from 'node:crypto';
import {
  type ClickFigures,
  CUSTOM_SLUG_MAX,
  DomainError,
  isSlug,
  type Link,
  linkNotFound,
  type Quota,
  quotaAt,
} from '@waypost/domain';
import type { Caller } from '@waypost/ports';
import { sharedAnswers, type Turns, turns } from '@waypost/service-kit';
import { type RequestHandler, type Response, Router } from 'express';
import type { LinkApiDeps } from '../app.ts';
import { EMAIL_MAX, setLimit } from '../use-cases/accounts.ts';
import { createLinks, type NewLinkRequest, tryLinks } from '../use-cases/create-links.ts';
import { FIGURES_KEPT, getAnalytics } from '../use-cases/get-analytics.ts';
import { getLink } from '../use-cases/get-link.ts';
import { reviewLink } from '../use-cases/review-link.ts';
import { revokeLink } from '../use-cases/revoke-link.ts';
import { goneSignal } from './answer-in-time.ts';
import { authenticate, callerOf, requireAdmin, requireScope } from './authenticate.ts';
import { jsonBody } from './body.ts';
import { methodNotAllowed } from './errors.ts';
import { presentBulk, presentCreated, presentLink } from './present.ts';
import {
  analyticsQuery,
  createQuery,
  createSchemas,
  idempotencyKey,
  limitBody,
  listQuery,
  noQuery,
  reviewBody,
} from './schemas.ts';

/**
 * One account's share: whatever it asks at once, others find connections, lanes of the click store and the scanner free.
 * What is more waits its turn within the time of an answer, and is never 429. A revoke never waits.
 */
const SHARES = {
  reads: { running: 4, waiting: 500 },
  analytics: { running: 2, waiting: 500 },
  /** With the reading of the body, whose memory it bounds. */
  creations: { running: 8, waiting: 500 },
  dryRuns: { running: 1, waiting: 500 },
} as const;

export function routes(deps: LinkApiDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const figures = sharedAnswers<ClickFigures>(FIGURES_KEPT);
  const dryRuns = turns(SHARES.dryRuns);
  const known = authenticate(deps.keys);
  const read = [known, requireScope('read'), inTurn(turns(SHARES.reads))];
  const analyse = [known, requireScope('read'), inTurn(turns(SHARES.analytics))];
  const write = [known, requireScope('write')];
  const create = [known, quotaHeaders(deps.now), requireScope('write'), inTurn(turns(SHARES.creations)), jsonBody];
  const admin = [known, requireAdmin];
  const schemas = createSchemas(deps.urlPolicy);

  // It is repeated in the answer; what is longer than a slug is none in any case.
  const slugOf = (params: { slug?: string | string[] }) => String(params.slug).slice(0, 2 * CUSTOM_SLUG_MAX);

  router
    .route('/links')
    .post(
      ...create,
      creation(
        { ...deps, dryRuns },
        'links',
        (body) => [schemas.one(body)],
        ([link]) => presentCreated(link!, deps.redirectBaseUrl),
      ),
    )
    .get(...read, async (request, response) => {
      const query = listQuery(request);
      const { links, total } = await deps.links.list(callerOf(response).accountId, query);
      const total_pages = Math.ceil(total / query.limit);
      response.json({ data: links.map(presentLink), total, page: query.page, limit: query.limit, total_pages });
    })
    .all((_request, response) => methodNotAllowed(response, 'GET, HEAD, POST'));

  router
    .route('/links/bulk')
    .post(
      ...create,
      creation({ ...deps, dryRuns }, 'links/bulk', schemas.many, (links, made) =>
        presentBulk(links, deps.redirectBaseUrl, made),
      ),
    )
    .all((_request, response) => methodNotAllowed(response, 'POST'));

  router
    .route('/links/:slug')
    .get(...read, async (request, response) => {
      noQuery(request);
      response.json(presentLink(await getLink(deps, callerOf(response).accountId, slugOf(request.params))));
    })
    .all((_request, response) => methodNotAllowed(response, 'GET, HEAD'));

  router
    .route('/links/:slug/revoke')
    .post(...write, async (request, response) => {
      noQuery(request);
      const slug = slugOf(request.params);
      if (!isSlug(slug)) throw linkNotFound(slug);
      response.json(presentLink(await revokeLink(deps, callerOf(response).accountId, slug)));
    })
    .all((_request, response) => methodNotAllowed(response, 'POST'));

  router
    .route('/links/:slug/analytics')
    .get(...analyse, async (request, response) => {
      const query = analyticsQuery(request);
      const { accountId } = callerOf(response);
      const slug = slugOf(request.params);
      response.json(await getAnalytics({ ...deps, figures }, accountId, slug, query, goneSignal(response)));
    })
    .all((_request, response) => methodNotAllowed(response, 'GET, HEAD'));

  router
    .route('/admin/accounts/:email/limit')
    .put(...admin, jsonBody, async (request, response) => {
      noQuery(request);
      const { creations_per_hour } = limitBody(request.body);
      const email = String(request.params.email).slice(0, 2 * EMAIL_MAX);
      const account = await setLimit(deps, email, creations_per_hour);
      response.json({ email: account.email, creations_per_hour: account.creationsPerHour });
    })
    .all((_request, response) => methodNotAllowed(response, 'PUT'));

  router
    .route('/admin/links/:slug/review')
    .post(...admin, jsonBody, async (request, response) => {
      noQuery(request);
      response.json(presentLink(await reviewLink(deps, slugOf(request.params), reviewBody(request.body))));
    })
    .all((_request, response) => methodNotAllowed(response, 'POST'));

  return router;
}

/** Single and bulk creation differ in how a body is read and how links are shown, and in nothing else. */
function creation(
  deps: LinkApiDeps & { readonly dryRuns: Turns },
  endpoint: string,
  readBody: (body: unknown) => NewLinkRequest[],
  present: (links: readonly (Omit<Link, 'slug'> & { slug: string | null })[], made: number) => unknown,
): RequestHandler {
  return async (request, response) => {
    const { dryRun } = createQuery(request);
    const links = readBody(request.body);
    const caller = callerOf(response);
    const ownerId = caller.accountId;
    const quota = quotaOf(caller, deps.now());
    const key = idempotencyKey(request);
    if (dryRun) {
      const release = await deps.dryRuns.take(ownerId, goneSignal(response));
      response.json(present(await tryLinks(deps, { ownerId, quota, links }).finally(release), 0));
      return;
    }
    const shown = (made: readonly Link[]) => present(made, made.length);
    const result = await createLinks(deps, {
      ownerId,
      quota,
      links,
      ...(key === undefined
        ? {}
        : { idempotency: { endpoint, key, bodyHash: hashOfJson(request.body), response: shown } }),
    }).catch(async (error: unknown) => {
      // Whoever ran into the quota is told what it is now, not what it was when the request came.
      if (error instanceof DomainError && error.code === 'quota_exceeded') {
        setQuotaHeaders(response, await deps.links.quota(ownerId, deps.now()));
      }
      throw error;
    });
    if ('replayed' in result) {
      response.setHeader('Idempotency-Replayed', 'true').status(201).json(result.replayed);
      return;
    }
    setQuotaHeaders(response, result.quota);
    response.status(201).json(shown(result.links));
  };
}

/** The rest of the request has a turn of its account, which ends with the answer. */
function inTurn(of: Turns): RequestHandler {
  return async (_request, response, next) => {
    response.once('close', await of.take(callerOf(response).accountId, goneSignal(response)));
    next();
  };
}

/** Limits: on every answer of a creation endpoint to an authenticated caller, errors included. */
function quotaHeaders(now: () => Date): RequestHandler {
  return (_request, response, next) => {
    setQuotaHeaders(response, quotaOf(callerOf(response), now()));
    next();
  };
}

function quotaOf({ creations: { limit, window } }: Caller, now: Date): Quota {
  return quotaAt(limit, window, now);
}

function setQuotaHeaders(response: Response, { limit, used, resetAt }: Quota): void {
  response.setHeader('X-RateLimit-Limit', limit);
  response.setHeader('X-RateLimit-Used', used);
  response.setHeader('X-RateLimit-Remaining', Math.max(0, limit - used));
  response.setHeader('X-RateLimit-Reset', Math.ceil(resetAt.getTime() / 1000));
}

/** Equal JSON values have equal hashes, whatever the order of their keys and their white space. */
function hashOfJson(value: unknown): string {
  const sorted = (_key: string, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner;
  return createHash('sha256').update(JSON.stringify(value, sorted)).digest('hex');
}
