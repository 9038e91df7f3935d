/** Internal: no API keys and no rate limits (docs/operator-interface.md, Scanner call). */
import { LIMITS } from '@waypost/domain';
import type { ThreatFeeds, UrlScanner } from '@waypost/ports';
import { answerError, errorHandler } from '@waypost/process';
import type { Logger } from '@waypost/telemetry';
import express, { type RequestHandler, type Router } from 'express';

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
      // 500 URLs of full length, escaped as JSON, need twice the API's limit.
      express.json({ limit: 2 * LIMITS.bodyBytes, strict: false }),
      async (request, response) => {
        const { urls } = (request.body ?? {}) as { readonly urls?: unknown };
        if (!isList(urls)) {
          answerError(response, 400, 'bad_request', `urls must be an array of 1 to ${MOST_URLS} strings.`);
          return;
        }
        const { generation, verdicts } = await scanner.scan(urls);
        logger.info('scanned', { urls: verdicts.length, generation });
        response.json({ generation, verdicts });
      },
    )
    .all(notAllowed('POST', 'This path supports only POST.'));
  router
    .route('/feeds')
    .get(async (_request, response) => {
      response.json({ feeds: await feeds.list() });
    })
    .all(notAllowed('GET, HEAD', 'This path supports only GET and HEAD.'));
  router.use(['/scan', '/feeds'], errorHandler(logger, 'scan failed'));
  return router;
}

function notAllowed(methods: string, message: string): RequestHandler {
  return (_request, response) => answerError(response.set('Allow', methods), 405, 'method_not_allowed', message);
}

const jsonOnly: RequestHandler = (request, response, next) => {
  if (request.is('application/json') === 'application/json') next();
  else
    answerError(
      response,
      415,
      'unsupported_media_type',
      'The request body must be sent with Content-Type: application/json.',
    );
};

/** Checks the number of items first, because a validator would check every item of a longer list. */
function isList(urls: unknown): urls is readonly string[] {
  const isCounted = Array.isArray(urls) && urls.length >= 1 && urls.length <= MOST_URLS;
  return isCounted && urls.every((url) => typeof url === 'string');
}
