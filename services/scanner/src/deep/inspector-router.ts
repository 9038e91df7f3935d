/** `POST /inspect`, on the inspector's internal port: one address, and what it is. */
import type { PageInspector } from '@waypost/ports';
import { errorFields, type Logger } from '@waypost/telemetry';
import express, { type ErrorRequestHandler, type Router } from 'express';
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
      response.status(400).json({ error: 'bad_request', message: 'Send { "url", "within_ms" }.', status: 400 });
    } else if (running >= MOST_AT_ONCE) {
      response.set('Retry-After', '1').status(503);
      response.json({ error: 'service_unavailable', message: 'Too much is being inspected.', status: 503 });
    } else {
      running += 1;
      try {
        response.json(await inspector.inspect(url, Math.min(withinMs, INSPECT_BOUNDS.timeoutMs)));
      } finally {
        running -= 1;
      }
    }
  });
  const onError: ErrorRequestHandler = (error, _request, response, next) => {
    if (response.headersSent) return next(error);
    const status = (error as { status?: unknown }).status;
    if (typeof status === 'number' && status >= 400 && status < 500) {
      response.status(status).json({ error: 'bad_request', message: 'The body cannot be read as JSON.', status });
      return;
    }
    logger.error('an inspection failed', errorFields(error));
    response.status(500).json({ error: 'internal_error', message: 'The inspection failed.', status: 500 });
  };
  router.use('/inspect', onError);
  return router;
}
