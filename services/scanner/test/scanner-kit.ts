/** A scanner on a folder of its own, with links and a bus that a test can look into and break. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import {
  type LinkEvent,
  NO_ALLOWED_HOSTS,
  parseAllowed,
  parseVerdictEvent,
  type Topic,
  type UrlPolicy,
  type VerdictEvent,
} from '@waypost/domain';
import type { Bus, BusHandler, BusMessage, LinkExpressions } from '@waypost/ports';
import { createScanner, registrableDomain, type Scanner, type ScannerDeps } from '../src/index.ts';
import { buildGeneration } from '../src/threat-index/build-generation.ts';

export const POLICY: UrlPolicy = { registrableDomain, ownHosts: ['sho.example.com'], allowed: NO_ALLOWED_HOSTS };
export const NOW = new Date('2026-11-21T12:00:00.000Z');
export const SILENT = { error: () => SILENT, warn: () => SILENT, info: () => SILENT, debug: () => SILENT } as never;

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'waypost-scanner-'));
  folders.push(folder);
  return folder;
}

export function policyAllowing(...hosts: string[]): UrlPolicy {
  return { ...POLICY, allowed: parseAllowed(hosts) };
}

export interface Kit extends Scanner {
  readonly links: TestLinks;
  readonly bus: TestBus;
  readonly dataDir: string;
  outcome(url: string): Promise<string>;
  /** Imports lines as a feed. */
  list(name: string, lines: readonly string[], more?: { format?: string; threatType?: string }): Promise<string>;
  /** Scans and keeps a link, as link-api would. */
  createLink(slug: string, destinationUrl: string): Promise<void>;
}

/** Without shipped feeds unless a test asks for them; with one harmless entry, so that there is a database. */
export async function newScanner(
  options: Partial<ScannerDeps> & { links?: TestLinks; bus?: TestBus } = {},
): Promise<Kit> {
  const { links = testLinks(), bus = testBus(), dataDir = newFolder(), ...rest } = options;
  const scanner = await createScanner({
    dataDir,
    policy: POLICY,
    expressions: links,
    bus,
    feeds: 'none',
    logger: SILENT,
    now: () => NOW,
    build: buildGeneration,
    shippedFeedsFile: join(dataDir, 'none.bin'),
    ...rest,
  });
  const list: Kit['list'] = async (name, lines, { format = 'urls', threatType = 'phishing' } = {}) => {
    const { generation } = await scanner.importFeed({ text: lines.join('\n') }, { name, format, threatType });
    return generation;
  };
  if (!scanner.status().ok && options.shippedFeedsFile === undefined)
    await list('base', ['http://base.example.net/entry']);
  return {
    ...scanner,
    links,
    bus,
    dataDir,
    list,
    async outcome(url) {
      const { verdicts } = await scanner.scanner.scan([url]);
      return verdicts[0]!.outcome;
    },
    async createLink(slug, destinationUrl) {
      const { verdicts } = await scanner.scanner.scan([destinationUrl]);
      links.add(slug, destinationUrl, verdicts[0]!.expressions);
    },
  };
}

export interface TestLinks extends LinkExpressions {
  add(slug: string, destinationUrl: string, expressions: readonly string[]): void;
  revoke(slug: string): void;
  /** The next so many questions fail. */
  failNext(times: number): void;
  /** Questions asked so far. */
  readonly asked: { matching: number; all: number };
}

export function testLinks(): TestLinks {
  const links = new Map<string, { destinationUrl: string; expressions: readonly string[]; active: boolean }>();
  const asked = { matching: 0, all: 0 };
  let failures = 0;
  const page = (
    wanted: (expressions: readonly string[]) => boolean,
    { after, limit }: { after: string; limit: number },
  ) => {
    if (failures-- > 0) throw new Error('the link store is away');
    return [...links]
      .filter(([slug, link]) => link.active && slug > after && wanted(link.expressions))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, limit)
      .map(([slug, { destinationUrl }]) => ({ slug, destinationUrl }));
  };
  return {
    asked,
    add: (slug, destinationUrl, expressions) => links.set(slug, { destinationUrl, expressions, active: true }),
    revoke: (slug) => links.set(slug, { ...links.get(slug)!, active: false }),
    failNext: (times) => {
      failures = times;
    },
    async activeLinksMatching(expressions, at) {
      asked.matching++;
      const wanted = new Set(expressions);
      return page((own) => own.some((expression) => wanted.has(expression)), at);
    },
    async activeLinks(at) {
      asked.all++;
      return page(() => true, at);
    },
  };
}

export interface TestBus extends Bus {
  readonly published: VerdictEvent[];
  readonly parked: { readonly message: BusMessage; readonly error: Error }[];
  failNext(times: number): void;
  /** Hands a message to whoever listens. */
  deliver(topic: Topic, value: string): Promise<void>;
}

export function testBus(): TestBus {
  const handlers = new Map<Topic, BusHandler>();
  const published: VerdictEvent[] = [];
  const parked: TestBus['parked'] = [];
  let failures = 0;
  return {
    published,
    parked,
    failNext: (times) => {
      failures = times;
    },
    async publish(_topic, messages) {
      if (failures-- > 0) throw new Error('the bus is away');
      published.push(...messages.map(({ value }) => parseVerdictEvent(value)));
    },
    async subscribe(topic, _group, handler) {
      handlers.set(topic, handler);
      return { stop: async () => void handlers.delete(topic) };
    },
    async deliver(topic, value) {
      await handlers.get(topic)?.(
        [{ key: 'k', value }],
        async (message, error) => void parked.push({ message, error }),
      );
    },
  };
}

export function linkCreated(slug: string, destinationUrl: string, generation: string): LinkEvent {
  return {
    v: 1,
    type: 'link.created',
    slug,
    destination_url: destinationUrl,
    status: 'active',
    threat_type: null,
    version: 1,
    scan_generation: generation,
    at: NOW.toISOString(),
  };
}

export async function until(condition: () => boolean, withinMs = 10_000): Promise<void> {
  const end = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() > end) throw new Error('it did not happen in time');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export function fixture(name: string): string {
  return readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');
}

export interface HostileUrl {
  readonly id: string;
  readonly category: string;
  readonly expect: 'reject' | 'accept' | 'accept_normalised' | 'accept_warn' | 'flag';
  readonly input: string;
}

export function hostileUrls(): HostileUrl[] {
  return fixture('hostile-urls.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}
