/** One conditional GET of a feed, with a limit on everything that a bad server could stretch. */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { MOST_FEED_BYTES } from '../threat-index/build-generation.ts';

export type FetchedFeed =
  | { readonly changed: false }
  | {
      readonly changed: true;
      readonly etag: string | null;
      readonly lastModified: string | null;
    };

export interface FetchLimits {
  readonly timeoutMs: number;
  readonly bytes: number;
}

export const FETCH_LIMITS: FetchLimits = { timeoutMs: 60_000, bytes: MOST_FEED_BYTES };

/**
 * The body goes to `file` (a feed may have tens of megabytes). Rejects on anything but 200 and 304, on a web page in place of a list, and beyond
 * the limits; the file may then hold a part.
 */
export async function fetchFeed(
  url: string,
  file: string,
  known: { readonly etag: string | null; readonly lastModified: string | null },
  signal: AbortSignal,
  { timeoutMs, bytes }: FetchLimits = FETCH_LIMITS,
): Promise<FetchedFeed> {
  const headers = new Headers({ 'User-Agent': 'waypost-scanner/1', Accept: 'text/plain, text/csv, */*;q=0.5' });
  if (known.etag !== null) headers.set('If-None-Match', known.etag);
  if (known.lastModified !== null) headers.set('If-Modified-Since', known.lastModified);
  const deadline = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, { headers, signal: AbortSignal.any([signal, deadline]) });
  if (response.status === 304) return { changed: false };
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`the server answered ${response.status}`);
  }
  if (/^text\/html\b/i.test(response.headers.get('content-type') ?? '')) {
    await response.body?.cancel();
    throw new Error('the server answered with a web page');
  }
  await pipeline(limited(response, bytes), createWriteStream(file));
  return {
    changed: true,
    etag: response.headers.get('etag'),
    lastModified: response.headers.get('last-modified'),
  };
}

/** Counts what arrives after decompression: `Content-Length` is the server's word only. */
async function* limited(response: Response, limit: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > limit) throw new Error(`the feed is larger than ${Math.round(limit / 1024 / 1024)} MB`);
    yield chunk;
  }
}
