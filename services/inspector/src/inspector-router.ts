/** `POST /inspect`, on an internal port. */
import type { PageInspector } from '@waypost/ports';
import { answerError, errorHandler } from '@waypost/process';
import type { Logger } from '@waypost/telemetry';
import express, { type Router } from 'express';
import { INSPECT_BOUNDS } from './inspect-url.ts';

interface Deps {
  readonly inspector: PageInspector;
  readonly logger: Logger;
}

/** Several scanners may have 64 requests each. */
const MOST_AT_ONCE = 256;
/** A URL of full length, escaped as JSON. */
const BODY_MAX_BYTES = 16 * 1024;

export function inspectorRouter({ inspector, logger }: Deps): Router {
  let running = 0;
  const router = express.Router();
  router.post('/inspect', express.json({ limit: BODY_MAX_BYTES }), async (request, response) => {
    const { url, within_ms: withinMs } = (request.body ?? {}) as Record<string, unknown>;
    if (typeof url !== 'string' || typeof withinMs !== 'number' || !(withinMs > 0)) {
      answerError(response, 400, 'bad_request', 'Send { "url", "within_ms" }.');
    } else if (running >= MOST_AT_ONCE) {
      answerError(
        response.set('Retry-After', '1'),
        503,
        'service_unavailable',
        'Too many URLs are being inspected. Retry in a second.',
      );
    } else {
      running += 1;
      try {
        response.json(await inspector.inspect(url, Math.min(withinMs, INSPECT_BOUNDS.timeoutMs)));
      } finally {
        running -= 1;
      }
    }
  });
  router.use('/inspect', errorHandler(logger, 'inspection failed'));
  return router;
}
