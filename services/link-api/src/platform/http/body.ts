import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { LIMITS } from '@waypost/domain';
import type { Request, RequestHandler, Response } from 'express';
import { requestSignal } from './answer-in-time.ts';
import { HttpError } from './errors.ts';
import { placeOf } from './place-of.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const tooLargeFor = (maxBytes: number) =>
  `The request body is larger than ${maxBytes < 1024 ** 2 ? `${maxBytes / 1024} KiB` : `${maxBytes / 1024 ** 2} MiB`}.`;
export const TOO_LARGE = tooLargeFor(LIMITS.bodyBytes);
export const OPEN_BODY_TOO_LARGE = tooLargeFor(LIMITS.openBodyBytes);
export const INVALID_JSON = 'The request body is not valid JSON.';
export const NOT_JSON = 'The request body must be sent with Content-Type: application/json (UTF-8).';

/**
 * Reads a JSON body into `request.body`, more strictly than `express.json`. Invalid UTF-8 or a byte order mark gives
 * 400, and another content type or charset gives 415. An empty body counts as missing, whatever its type. Memory stays
 * a small multiple of the body's size, however many chunks it has and however large it unpacks.
 */
export function jsonBody(maxBytes: number = LIMITS.bodyBytes): RequestHandler {
  return async (request, response, next) => {
    if (hasBody(request) && !isJson(request.headers['content-type'] ?? '')) {
      throw new HttpError(415, NOT_JSON);
    }
    request.body = await readJson(request, response, maxBytes);
    next();
  };
}

/**
 * For an endpoint without a body: reads one of any type, so that its fields can be refused. What cannot be read has no
 * fields and is ignored, so that it stops no revocation.
 */
export const strayBody: RequestHandler = async (request, response, next) => {
  if (hasBody(request))
    request.body = await readJson(request, response, LIMITS.openBodyBytes).catch((error: unknown) => {
      if (!(error instanceof HttpError)) throw error;
    });
  next();
};

async function readJson(request: Request, response: Response, maxBytes: number): Promise<unknown> {
  const unpack = unpackerOf(request.headers['content-encoding'] ?? 'identity');
  const bytes = await placeOf(response).whileReading(() => bytesOf(request, maxBytes), requestSignal(response));
  return parseJson(await unpack(bytes, maxBytes));
}

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** For JSON, only the parameter `charset` matters; others are ignored (RFC 8259, section 11). */
export function isJson(contentType: string): boolean {
  if (contentType.length > 1_000) return false;
  const [mediaType, ...parameters] = contentType
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  return mediaType === 'application/json' && parameters.every(isUtf8);
}

function isUtf8(parameter: string): boolean {
  const equals = parameter.indexOf('=');
  if (equals === -1 || parameter.slice(0, equals).trimEnd() !== 'charset') return true;
  return ['utf-8', 'utf8', '"utf-8"', '"utf8"'].includes(parameter.slice(equals + 1).trimStart());
}

const tooLarge = (maxBytes: number) => new HttpError(413, tooLargeFor(maxBytes));

const MAX_CHUNKS = 50_000;

/** Uses one growing buffer. A list would need a hundred bytes per chunk, and a chunk may have a single byte. */
function bytesOf(request: Request, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0);
    let length = 0;
    let chunks = 0;
    const take = (chunk: Buffer) => {
      const needed = length + chunk.length;
      if (needed > maxBytes || ++chunks > MAX_CHUNKS) {
        request.off('data', take);
        const inChunks = new HttpError(400, `The request body has more than ${MAX_CHUNKS} chunks.`);
        reject(needed > maxBytes ? tooLarge(maxBytes) : inChunks);
        return;
      }
      if (needed > bytes.length) {
        const larger = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(needed, 2 * bytes.length)));
        bytes.copy(larger, 0, 0, length);
        bytes = larger;
      }
      length += chunk.copy(bytes, length);
    };
    request.on('data', take);
    request.once('end', () => resolve(bytes.subarray(0, length)));
    request.once('error', () => reject(new HttpError(400, 'The request body could not be read.')));
  });
}

type Unpack = (bytes: Buffer, maxBytes: number) => Buffer | Promise<Buffer>;

const UNPACK: Readonly<Record<string, Unpack>> = {
  identity: (bytes) => bytes,
  gzip: withinLimit(promisify(gunzip)),
  deflate: withinLimit(promisify(inflate)),
  br: withinLimit(promisify(brotliDecompress)),
};

function unpackerOf(encoding: string): Unpack {
  const name = encoding.toLowerCase();
  const unpack = Object.hasOwn(UNPACK, name) ? UNPACK[name] : undefined;
  if (unpack === undefined) {
    throw new HttpError(415, 'This Content-Encoding is not supported. Use gzip, deflate or br.');
  }
  return unpack;
}

/** Reads the whole packed body first, because an endless packed stream may unpack to nothing. */
function withinLimit(unpack: (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>): Unpack {
  return async (bytes, maxBytes) => {
    try {
      return await unpack(bytes, { maxOutputLength: maxBytes });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
      throw new HttpError(400, 'The request body could not be decompressed.', {
        body: 'does not match its Content-Encoding',
      });
    }
  };
}

export function parseJson(bytes: Buffer): unknown {
  const excess = excessOf(bytes);
  if (excess !== undefined) throw new HttpError(400, `The request body ${excess}.`, { body: excess });
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    const why = cause instanceof SyntaxError ? cause.message : 'it is not valid UTF-8';
    throw new HttpError(400, INVALID_JSON, { body: `is not valid JSON: ${why}` });
  }
}

const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Scans each byte once before parsing. The result for malformed JSON does not matter: the parser refuses it. */
function excessOf(bytes: Buffer): string | undefined {
  let depth = 0;
  let parts = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (inString) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === COLON) parts++;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      parts++;
      if (++depth > LIMITS.bodyDepth) return `is nested more than ${LIMITS.bodyDepth} levels deep`;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
  }
  return parts > LIMITS.bodyParts ? `has more than ${LIMITS.bodyParts} fields, objects and arrays` : undefined;
}
