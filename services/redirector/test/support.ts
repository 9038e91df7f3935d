/**
 * Starts a redirector on a real port. Its cache, store and bus are in memory, and a test can watch, break and delay
 * them.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inProcessLinkCache } from '@waypost/adapter-embedded';
import { CLICKS, type RedirectRecord } from '@waypost/domain';
import type { BusMessage, LinkReader } from '@waypost/ports';
import { SILENT } from '@waypost/test-support';
import { VISITOR_SETTINGS } from '@waypost/test-support/visitor-settings';
import { readCursor } from '../src/clicks/log/cursor.ts';
import { clickLogView } from '../src/clicks/log/log-view.ts';
import { sharedState } from '../src/clicks/log/shared-state.ts';
import { Shipper, type ShipperOptions } from '../src/clicks/log/shipper.ts';
import { visitorCounts, visitorFigures } from '../src/listener/visitor-counts.ts';
import { createVisitors, type VisitorDeps } from '../src/listener/visitors.ts';

/** Fourteen minutes before the tests. */
const SCANNED_AT = new Date(Date.now() - 14 * 60_000).toISOString();

export function link(slug: string, more: Partial<RedirectRecord> = {}): RedirectRecord {
  return {
    slug,
    ownerId: '0193a5d0-7c1e-4abc-8def-0123456789ab',
    status: 'active',
    destinationUrl: `https://example.org/${slug}?a=1&b=2`,
    threatType: null,
    revokedAt: null,
    scannedAt: SCANNED_AT,
    version: 1,
    ...more,
  };
}

export function memoryReader(records: readonly RedirectRecord[]): LinkReader & { lookups: string[] } {
  const bySlug = new Map(records.map((record) => [record.slug, record]));
  const lookups: string[] = [];
  return {
    lookups,
    async find(slug) {
      lookups.push(slug);
      return bySlug.get(slug);
    },
  };
}

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: http.OutgoingHttpHeaders;
}

export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

export async function startRedirector(
  records: readonly RedirectRecord[] = [],
  more: Partial<VisitorDeps & Pick<ShipperOptions, 'bus'>> = {},
) {
  const folder = more.clickLogDir ?? mkdtempSync(path.join(tmpdir(), 'redirector-test-'));
  const reader = memoryReader(records);
  const sent: BusMessage[] = [];
  const state = sharedState();
  const { clickLogMaxBytes: maxBytes } = VISITOR_SETTINGS;
  const cursor = readCursor(folder);
  const counts = visitorCounts();
  const visitors = createVisitors({
    cache: inProcessLinkCache({ size: 10_000 }),
    reader,
    ...VISITOR_SETTINGS,
    clickLogDir: folder,
    clickLogState: state,
    counts,
    readiness: async () => ({ status: 'ready', dependencies: {} }),
    logger: SILENT,
    now: Date.now,
    ...more,
  });
  const shipper = new Shipper({
    log: clickLogView({ folder, maxBytes, state, logger: SILENT }),
    folder,
    cursor,
    bus: more.bus ?? { publishEncoded: async (_topic, messages) => void sent.push(...messages) },
    logger: SILENT,
  });
  const port = await visitors.listen(0, '127.0.0.1');
  return {
    redirector: { status: async () => ({ ...(await visitors.status()), spoolBytes: shipper.state().spoolBytes }) },
    changed: visitors.changed,
    visited: () => visitorFigures([counts]),
    port,
    reader,
    clicks: () => sent.flatMap(({ value }) => value.split('\n').map(CLICKS.decode)),
    get: (target: string, options?: RequestOptions) => request(port, target, options),
    async close() {
      await visitors.stop();
      await shipper.stop();
      if (more.clickLogDir === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function request(
  port: number,
  target: string,
  { method = 'GET', headers = {} }: RequestOptions = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = http.request({ port, host: '127.0.0.1', path: target, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks).toString() }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** Sends bytes that an HTTP client would not send. Resolves to the first line of the answer. */
export function rawRequest(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes));
    let answer = '';
    socket.on('data', (data) => {
      answer += data.toString('latin1');
      if (answer.includes('\r\n')) socket.destroy();
    });
    socket.on('close', () => resolve(answer.split('\r\n')[0]!));
    socket.on('error', reject);
  });
}

export async function eventually(check: () => void | Promise<void>, withinMs = 20_000): Promise<void> {
  const end = performance.now() + withinMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
