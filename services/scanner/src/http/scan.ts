/** `POST /scan` and `GET /feeds` (docs/operator-interface.md, Scanner call). Internal: no API keys and no rate limits. */
import { LIMITS } from '@waypost/domain';
import type { ThreatFeeds, UrlScanner } from '@waypost/ports';
import type { Logger } from '@waypost/telemetry';
import express, { type RequestHandler, type Router } from 'express';
import { answerError, errorHandler } from './answers.ts';

interface Deps {
  readonly scanner: UrlScanner;
  readonly feeds: ThreatFeeds;
  readonly logger: Logger;
}

const MOST_URLS = LIMITS.linksPerBulkRequest;

export function scanRouter({ scanner, feeds, logger }: Deps): Router {
  const router = express.Router();
  router
    .route('/scan')
    .post(
      jsonOnly,
      // Twice the API's limit: 500 URLs of full length must fit, escaped as JSON.
      express.json({ limit: 2 * LIMITS.bodyBytes, strict: false }),
      async (request, response) => {
        const faults = faultsOf(request.body);
        if (faults.count > 0) {
          const others = faults.count > faults.named.size ? ` ${faults.count - faults.named.size} more faults.` : '';
          const message = `The body is not a list of URLs to scan.${others}`;
          answerError(response, 400, 'bad_request', message, Object.fromEntries(faults.named));
          return;
        }
        const { generation, verdicts } = await scanner.scan(request.body.urls);
        logger.info('scanned', { urls: verdicts.length, generation });
        response.json({ generation, verdicts });
      },
    )
    .all((_request, response) => {
      response.set('Allow', 'POST');
      answerError(response, 405, 'method_not_allowed', 'Use POST.');
    });
  router
    .route('/feeds')
    .get(async (_request, response) => {
      response.json({ feeds: await feeds.list() });
    })
    .all((_request, response) => {
      response.set('Allow', 'GET, HEAD');
      answerError(response, 405, 'method_not_allowed', 'Use GET.');
    });
  router.use(['/scan', '/feeds'], errorHandler(logger, 'scan failed'));
  return router;
}

const jsonOnly: RequestHandler = (request, response, next) => {
  if (request.is('application/json') === 'application/json') next();
  else answerError(response, 415, 'unsupported_media_type', 'Send the body as application/json.');
};

interface Faults {
  /** By position, such as `urls[3]`. */
  readonly named: ReadonlyMap<string, string>;
  readonly count: number;
}

/** How many unknown fields to name; a body may have a million of them. */
const MOST_FIELDS_NAMED = 10;
const LONGEST_NAME = 64;

/** Without a validator, because that checks every item of a list before it checks their number. */
export function faultsOf(body: unknown): Faults {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { named: new Map([['body', 'must be an object']]), count: 1 };
  }
  const named = new Map<string, string>();
  const { urls } = body as Record<string, unknown>;
  const unknown = Object.keys(body).filter((name) => name !== 'urls');
  for (const name of unknown.slice(0, MOST_FIELDS_NAMED)) {
    named.set(name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME)}…`, 'is not known');
  }
  if (!Array.isArray(urls)) named.set('urls', 'must be an array');
  else if (urls.length < 1 || urls.length > MOST_URLS) named.set('urls', `must have 1 to ${MOST_URLS} entries`);
  else urls.forEach((url, at) => void (typeof url === 'string' || named.set(`urls[${at}]`, 'must be a string')));
  return { named, count: named.size + Math.max(0, unknown.length - MOST_FIELDS_NAMED) };
}
