/** One conditional GET of a feed, with a limit on everything that a bad server could stretch. */
import { MOST_FEED_BYTES } from '../threat-index/build-generation.ts';

export type FetchedFeed =
  | { readonly changed: false }
  | {
      readonly changed: true;
      readonly text: string;
      readonly etag: string | null;
      readonly lastModified: string | null;
    };

export interface FetchLimits {
  readonly timeoutMs: number;
  readonly bytes: number;
}

export const FETCH_LIMITS: FetchLimits = { timeoutMs: 60_000, bytes: MOST_FEED_BYTES };

/** Rejects on anything but 200 and 304, on a web page in place of a list, and beyond the limits. */
export async function fetchFeed(
  url: string,
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
  return {
    changed: true,
    text: await textUpTo(response, bytes),
    etag: response.headers.get('etag'),
    lastModified: response.headers.get('last-modified'),
  };
}

/** Counts what arrives after decompression: `Content-Length` is the server's word only. */
async function textUpTo(response: Response, limit: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > limit) throw new Error(`the feed is larger than ${Math.round(limit / 1024 / 1024)} MB`);
    chunks.push(chunk);
  }
  const declared = response.headers.get('content-length');
  if (declared !== null && response.headers.get('content-encoding') === null && Number(declared) !== size) {
    throw new Error(`the feed broke off after ${size} of ${declared} bytes`);
  }
  return Buffer.concat(chunks).toString('utf8');
}
