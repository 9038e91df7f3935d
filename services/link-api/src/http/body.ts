import { LIMITS } from '@waypost/domain';
import express, { type Request, type RequestHandler } from 'express';
import { HttpError } from './errors.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const raw = express.raw({ type: () => true, limit: LIMITS.bodyBytes });

/**
 * Reads a JSON body into `request.body`. Strict where `express.json` is lenient: invalid UTF-8 and a byte order mark
 * are malformed JSON, and another content type or charset is 415.
 */
export const jsonBody: RequestHandler = (request, response, next) => {
  const contentType = request.headers['content-type'] ?? '';
  if (!/^application\/json\s*(;\s*charset="?utf-?8"?\s*)?$/i.test(contentType.trim())) {
    throw new HttpError(415, 'unsupported_media_type', 'Send the body as Content-Type: application/json (UTF-8).');
  }
  raw(request, response, (error?: unknown) => {
    if (error !== undefined) return next(error);
    try {
      request.body = parse(request);
      next();
    } catch (cause) {
      next(cause);
    }
  });
};

function parse(request: Request): unknown {
  try {
    return JSON.parse(utf8.decode(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)));
  } catch (cause) {
    const why = cause instanceof SyntaxError ? cause.message : 'it is not valid UTF-8';
    throw new HttpError(400, 'bad_request', 'The body is not valid JSON.', { body: `is not valid JSON: ${why}` });
  }
}
