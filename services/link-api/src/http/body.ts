import { LIMITS } from '@waypost/domain';
import express, { type Request, type RequestHandler } from 'express';
import { HttpError } from './errors.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const raw = express.raw({ type: () => true, limit: LIMITS.bodyBytes });

/**
 * Reads a JSON body into `request.body`. Strict where `express.json` is lenient: invalid UTF-8 and a byte order mark
 * are malformed JSON, and another content type or charset is 415. No body at all is a missing one, whatever its type.
 */
export const jsonBody: RequestHandler = (request, response, next) => {
  if (hasBody(request) && !isJson(request.headers['content-type'] ?? '')) {
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

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Parameters other than `charset` mean nothing to JSON (RFC 8259, section 11). */
function isJson(contentType: string): boolean {
  const [mediaType = '', ...parameters] = contentType.split(';').map((part) => part.trim());
  const charsets = parameters.filter((parameter) => /^charset\s*=/i.test(parameter));
  return (
    /^application\/json$/i.test(mediaType) && charsets.every((charset) => /^charset\s*=\s*"?utf-?8"?$/i.test(charset))
  );
}

function parse(request: Request): unknown {
  try {
    return JSON.parse(utf8.decode(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)));
  } catch (cause) {
    const why = cause instanceof SyntaxError ? cause.message : 'it is not valid UTF-8';
    throw new HttpError(400, 'bad_request', 'The body is not valid JSON.', { body: `is not valid JSON: ${why}` });
  }
}
