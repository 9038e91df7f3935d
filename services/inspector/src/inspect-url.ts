/**
 * Requests one address and reports what it is. The server may be hostile, may want us to reach into the operator's
 * network or to use us up: so every hop is a separate call to a public address, time and bytes are bounded, nothing is
 * executed, and no cookie, referrer or credential is sent.
 */
import type { IncomingMessage } from 'node:http';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type AllowedHosts, checkDestinationUrl, type UrlPolicy } from '@waypost/domain';
import type { Inspection } from '@waypost/ports';
import { codeOf, NotPublic, publicRequest, type Resolve } from '@waypost/public-request';
import { readPage } from './read-page.ts';

export interface InspectBounds {
  /** The time limit of one call, from the look-up of the name to the last byte. */
  readonly timeoutMs: number;
  /** The limit of a body, both as sent and decompressed. */
  readonly bodyBytes: number;
}

export const INSPECT_BOUNDS: InspectBounds = { timeoutMs: 5_000, bodyBytes: 64 * 1024 };

export interface InspectDeps {
  /** A stranger's redirect must not lead to what the operator allows as a destination. */
  readonly policy: Omit<UrlPolicy, 'allowed'>;
  /** Hosts and networks that are not public. */
  readonly allowed: AllowedHosts;
  readonly ports: readonly number[];
  readonly resolve?: Resolve;
  readonly bounds?: InspectBounds;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** The policy refuses URLs of more than 2,048 bytes. */
const LONGEST_LOCATION = 4_096;

/** Never rejects. */
export async function inspectUrl(deps: InspectDeps, address: string, withinMs: number): Promise<Inspection> {
  const { allowed, bounds = INSPECT_BOUNDS } = deps;
  const check = checkDestinationUrl(address, { ...deps.policy, allowed });
  if (!check.ok) return { kind: 'refused', why: check.problem };
  const url = new URL(check.href);
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  if (!deps.ports.includes(port)) return { kind: 'refused', why: 'has a port that deep scans may not reach' };
  const timeoutMs = Math.ceil(Math.min(bounds.timeoutMs, withinMs));
  const deadline = AbortSignal.timeout(timeoutMs);
  let response: IncomingMessage | undefined;
  try {
    response = await publicRequest({
      url,
      headers: {
        'User-Agent': 'waypost-scanner/1',
        Accept: 'text/html, */*;q=0.1',
        'Accept-Encoding': 'identity',
        Range: `bytes=0-${bounds.bodyBytes - 1}`,
      },
      allowed,
      signal: deadline,
      ...(deps.resolve === undefined ? {} : { resolve: deps.resolve }),
    });
    return await inspectionOf(response, bounds);
  } catch (error) {
    if (error instanceof NotPublic) return { kind: 'refused', why: error.message };
    const why = deadline.aborted ? `no response within ${timeoutMs} ms` : `cannot be reached${codeOf(error)}`;
    return { kind: 'failed', why };
  } finally {
    response?.destroy();
  }
}

async function inspectionOf(response: IncomingMessage, { bodyBytes }: InspectBounds): Promise<Inspection> {
  const { statusCode: status = 0, headers } = response;
  if (REDIRECTS.has(status) && headers.location !== undefined)
    return { kind: 'redirect', location: utf8(headers.location).slice(0, LONGEST_LOCATION) };
  // The server refuses programs or has a failure. Visitors may see another answer.
  if (status >= 400 && status !== 404 && status !== 410) return { kind: 'failed', why: `answered ${status}` };
  const body = await bodyOf(response, bodyBytes);
  const { refresh, ...page } = readPage(body, headers);
  return refresh === undefined
    ? { kind: 'page', status, ...page }
    : { kind: 'redirect', location: refresh.slice(0, LONGEST_LOCATION) };
}

/** Browsers read a header as UTF-8, and Node as Latin-1. */
function utf8(header: string): string {
  const text = Buffer.from(header, 'latin1').toString('utf8');
  return text.includes('\ufffd') ? header : text;
}

/** A server may compress although we did not ask for it, so the decompressed body is bounded, too. */
async function bodyOf(response: IncomingMessage, most: number): Promise<Buffer> {
  const sent = await headOf(response, most);
  const decoder = decoderOf(response.headers['content-encoding']?.toLowerCase());
  if (decoder === undefined) return sent;
  decoder.end(sent);
  return headOf(readable(decoder), most);
}

function decoderOf(encoding: string | undefined) {
  const options = { chunkSize: 16 * 1024, finishFlush: 2 /* Z_SYNC_FLUSH: the end may be missing */ };
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip(options);
  if (encoding === 'deflate') return createInflate(options);
  return encoding === 'br' ? createBrotliDecompress({ chunkSize: 16 * 1024 }) : undefined;
}

/** Yields the data before the first fault. */
async function* readable(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch {
    // The rest cannot be read.
  }
}

async function headOf(source: AsyncIterable<Uint8Array>, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of source) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= most) break;
  }
  return Buffer.concat(chunks).subarray(0, most);
}
