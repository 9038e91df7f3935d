/** `POST /inspect`, on the inspector's internal port: one address, and what it is. */
import type { PageInspector } from '@waypost/ports';
import type { Logger } from '@waypost/telemetry';
import express, { type Router } from 'express';
import { answerError, errorHandler } from '../http/answers.ts';
import { INSPECT_BOUNDS } from './inspect-url.ts';

interface Deps {
  readonly inspector: PageInspector;
  readonly logger: Logger;
}

/** A scanner has at most 64 of them, and there may be several scanners. */
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
      answerError(response.set('Retry-After', '1'), 503, 'service_unavailable', 'Too much is being inspected.');
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
