import { createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { NO_ALLOWED_HOSTS } from '@waypost/domain';
import { codeOf, NotPublic, publicRequest } from '@waypost/public-request';
import type { FeedSource } from './feed-source.ts';
import { MOST_FEED_BYTES } from './read-feed.ts';

/** What a server sent to recognize a list that has not changed. */
export interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

export interface FetchLimits {
  readonly timeoutMs: number;
  readonly bytes: number;
}

type Place = Pick<FeedSource, 'http' | 'allowed'> & { readonly url: string };

/** Its message contains nothing that the server sent. */
export class FetchProblem extends Error {
  override readonly name = 'FetchProblem';
}

export const FETCH_LIMITS: FetchLimits = { timeoutMs: 60_000, bytes: MOST_FEED_BYTES };
const MOST_HOPS = 3;
const LONGEST_VALIDATOR = 512;

/**
 * Writes the body to `file`, since a feed may have tens of megabytes. Resolves to undefined on 304. Rejects with a
 * FetchProblem on a status other than 200, on a web page and beyond the limits; the file may then have a part of it.
 */
export async function fetchFeed(
  place: Place,
  file: string,
  validators: Validators,
  signal: AbortSignal,
  { timeoutMs, bytes }: FetchLimits,
): Promise<Validators | undefined> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const either = AbortSignal.any([signal, deadline]);
  try {
    const response = await fetchResponse(place, validators, either);
    if (response.statusCode === 304) {
      response.destroy();
      return undefined;
    }
    await store(response, file, bytes, either);
    return { etag: validator(response.headers.etag), lastModified: validator(response.headers['last-modified']) };
  } catch (cause) {
    if (cause instanceof FetchProblem) throw cause;
    if (cause instanceof NotPublic) throw new FetchProblem(cause.message, { cause });
    if (deadline.aborted)
      throw new FetchProblem(`the server did not respond in time (timeout of ${timeoutMs / 1000} s)`, { cause });
    throw new FetchProblem(`the server cannot be reached${codeOf(cause)}`, { cause });
  }
}

/** Resolves to a response with status 200 that is no web page, or with status 304 if `validators` asked for it. */
async function fetchResponse(place: Place, validators: Validators, signal: AbortSignal): Promise<IncomingMessage> {
  let url = new URL(place.url);
  for (let hops = 0; ; hops++) {
    const response = await get(url, place, validators, signal);
    const status = response.statusCode ?? 0;
    if (status === 304 && (validators.etag ?? validators.lastModified) !== null) return response;
    const isPage = /^text\/html\b/i.test(response.headers['content-type'] ?? '');
    if (status === 200 && !isPage) return response;
    response.destroy();
    if (![301, 302, 303, 307, 308].includes(status)) {
      throw new FetchProblem(
        status === 200 ? 'the server returned a web page' : `the server returned status ${status}`,
      );
    }
    if (hops === MOST_HOPS) throw new FetchProblem(`the URL redirects more than ${MOST_HOPS} times`);
    url = nextHop(url, response.headers.location, place);
  }
}

/** Follows a redirect to the same scheme or to https. */
export function nextHop(from: URL, location: string | undefined, { http = false }: Pick<FeedSource, 'http'>): URL {
  const to = URL.parse(location ?? '', from.href);
  if (location === undefined || to === null || to.username !== '' || to.password !== '') {
    throw new FetchProblem('the URL redirects to an invalid URL');
  }
  if (to.protocol !== 'https:' && !(to.protocol === 'http:' && from.protocol === 'http:' && http)) {
    throw new FetchProblem('the URL redirects to a URL without https');
  }
  return to;
}

function get(url: URL, place: Place, validators: Validators, signal: AbortSignal): Promise<IncomingMessage> {
  const headers = {
    'User-Agent': 'waypost-scanner/1',
    Accept: 'text/plain, text/csv, */*;q=0.5',
    'Accept-Encoding': 'gzip',
    ...(validators.etag === null ? {} : { 'If-None-Match': validators.etag }),
    ...(validators.lastModified === null ? {} : { 'If-Modified-Since': validators.lastModified }),
  };
  return publicRequest({ url, headers, signal, allowed: place.allowed ?? NO_ALLOWED_HOSTS });
}

async function store(response: IncomingMessage, file: string, bytes: number, signal: AbortSignal): Promise<void> {
  const encoding = response.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity' && encoding !== 'gzip') {
    response.destroy();
    throw new FetchProblem('the server returned an unsupported encoding');
  }
  const target = createWriteStream(file);
  try {
    if (encoding === 'gzip') await pipeline(response, createGunzip(), limitedTo(bytes), target, { signal });
    else await pipeline(response, limitedTo(bytes), target, { signal });
  } catch (cause) {
    if (cause instanceof FetchProblem || signal.aborted) throw cause;
    throw new FetchProblem(`the response ended early${codeOf(cause)}`, { cause });
  }
}

/** Counts bytes after decompression: `Content-Length` is only the server's claim. */
function limitedTo(limit: number) {
  return async function* limited(source: Readable): AsyncGenerator<Uint8Array> {
    let size = 0;
    for await (const chunk of source as AsyncIterable<Uint8Array>) {
      size += chunk.byteLength;
      if (size > limit) throw new FetchProblem(`the feed is larger than ${Math.round(limit / 1024 / 1024)} MB`);
      yield chunk;
    }
  };
}

function validator(header: string | undefined): string | null {
  return header === undefined || header.length > LONGEST_VALIDATOR ? null : header;
}
