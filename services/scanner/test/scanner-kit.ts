/** A scanner for tests. A test can inspect its links and its bus, and make them fail. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  LINKS,
  type LinkEvent,
  NO_ALLOWED_HOSTS,
  parseAllowed,
  type TopicName,
  type UrlPolicy,
  VERDICTS,
  type VerdictEvent,
} from '@waypost/domain';
import type { Bus, BusMessage } from '@waypost/ports';
import { SILENT, until } from '@waypost/test-support';
import { afterwards, newFolder } from '@waypost/test-support/afterwards';
import { type MessageBus, type MessageHandler, typedBus } from '@waypost/typed-bus';
import { createScanner, type Scanner, type ScannerDeps } from '../src/app.ts';
import { registrableDomain } from '../src/judge/urls/hosts.ts';
import type { RecheckQueue } from '../src/recheck/recheck-queue.port.ts';
import type { FiledLink, Page, ScannedLinks } from '../src/recheck/scanned-links.port.ts';
import { buildGeneration } from '../src/threats/build-generation.ts';

export const POLICY: UrlPolicy = { registrableDomain, ownHosts: ['sho.example.com'], allowed: NO_ALLOWED_HOSTS };
export const NOW = new Date('2026-11-21T12:00:00.000Z');

export function policyAllowing(...hosts: string[]): UrlPolicy {
  return { ...POLICY, allowed: parseAllowed(hosts) };
}

export interface Kit extends Scanner {
  readonly links: TestLinks;
  readonly rechecks: TestLooks;
  readonly bus: TestBus;
  readonly dataDir: string;
  outcome(url: string): Promise<string>;
  list(name: string, lines: readonly string[], more?: { format?: string; threatType?: string }): Promise<string>;
  /** Scans a link and publishes its creation, as link-api would. */
  createLink(slug: string, destinationUrl: string): Promise<void>;
  /** Publishes a change of a link that `createLink` created. */
  changeLink(slug: string, type: Exclude<LinkEvent['type'], 'link.created'>): Promise<void>;
}

/** Has no shipped feeds by default. It imports one harmless entry, because scans need a threat database. */
export async function newScanner(
  options: Partial<ScannerDeps> & { links?: TestLinks; bus?: TestBus; looks?: TestLooks } = {},
): Promise<Kit> {
  const { links = testLinks(), bus = testBus(), dataDir = newFolder(), ...rest } = options;
  const rechecks = options.looks ?? testLooks(links);
  const scanner = await createScanner({
    dataDir,
    policy: POLICY,
    links,
    rechecks,
    bus,
    feeds: 'none',
    logger: SILENT,
    now: () => NOW,
    build: buildGeneration,
    shippedFeedsFile: join(dataDir, 'none.bin'),
    ...rest,
  });
  const born = new Map<string, LinkEvent>();
  const list: Kit['list'] = async (name, lines, { format = 'urls', threatType = 'phishing' } = {}) => {
    const { generation } = await scanner.importFeed({ text: lines.join('\n') }, { name, format, threatType });
    return generation;
  };
  if (!scanner.status().ok && options.shippedFeedsFile === undefined)
    await list('base', ['http://base.example.net/entry']);
  return {
    ...scanner,
    links,
    rechecks,
    bus,
    dataDir,
    list,
    async outcome(url) {
      const { verdicts } = await scanner.scanner.scan([url]);
      return verdicts[0]!.outcome;
    },
    async createLink(slug, destinationUrl) {
      const { generation } = await scanner.scanner.scan([destinationUrl]);
      born.set(slug, linkCreated(slug, destinationUrl, generation));
      await bus.deliver(LINKS.name, born.get(slug)!);
    },
    async changeLink(slug, type) {
      await bus.deliver(LINKS.name, { ...born.get(slug), type, status: STATUS[type] });
    },
  };
}

/** Starts a scanner and resolves once it owes no re-scan. It stops at the end of the test. */
export async function started(options: Parameters<typeof newScanner>[0] = {}): Promise<Kit> {
  const kit = await newScanner(options);
  await kit.start();
  afterwards(() => kit.stop());
  await settled(kit);
  return kit;
}

export function settled(kit: Kit): Promise<void> {
  return until(() => kit.status().rescansOwed === 0);
}

const STATUS = {
  'link.edited': 'active',
  'link.revoked': 'revoked',
  'link.flagged': 'flagged',
  'link.cleared': 'active',
  'link.reported': 'active',
} as const;

export interface TestLinks extends ScannedLinks {
  /** Makes the next `times` queries and changes fail. */
  failNext(times: number): void;
  readonly queries: { matching: number; all: number };
  readonly filed: ReadonlyMap<string, Omit<FiledLink, 'slug'>>;
}

export function testLinks(): TestLinks {
  const filed = new Map<string, Omit<FiledLink, 'slug'>>();
  const queries = { matching: 0, all: 0 };
  let failures = 0;
  const mayFail = () => {
    if (failures-- > 0) throw new Error('the links are away');
  };
  const page = (matches: (link: Omit<FiledLink, 'slug'>) => boolean, { after, limit }: Page) => {
    mayFail();
    return [...filed]
      .filter(([slug, link]) => slug > after && matches(link))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, limit)
      .map(([slug, { destinationUrl, flagged }]) => ({ slug, destinationUrl, flagged }));
  };
  return {
    queries,
    filed,
    failNext: (times) => {
      failures = times;
    },
    async file(links) {
      mayFail();
      for (const { slug, ...link } of links) filed.set(slug, { ...link, ...filed.get(slug), flagged: link.flagged });
    },
    async refile(links) {
      mayFail();
      for (const { slug, keys } of links) if (filed.has(slug)) filed.set(slug, { ...filed.get(slug)!, keys });
    },
    async drop(slugs) {
      mayFail();
      for (const slug of slugs) filed.delete(slug);
    },
    async matching(keys, at, which = 'active') {
      queries.matching++;
      const wantedKeys = new Set(keys);
      return page(
        (link) => link.flagged === (which === 'flagged') && link.keys.some((key) => wantedKeys.has(key)),
        at,
      ).map(({ flagged: _, ...link }) => link);
    },
    find: async (slugs) =>
      slugs.flatMap((slug) => {
        const link = filed.get(slug);
        return link === undefined || link.flagged ? [] : [{ slug, destinationUrl: link.destinationUrl }];
      }),
    async all(at) {
      queries.all++;
      return page(() => true, at);
    },
  };
}

export interface TestLooks extends RecheckQueue {
  readonly due: ReadonlyMap<string, { readonly at: Date; readonly tries: number }>;
}

export function testLooks(links: TestLinks): TestLooks {
  const due = new Map<string, { at: Date; tries: number }>();
  const hosts = new Map<string, Date>();
  const taken = (slugs: readonly string[], until: Date) =>
    slugs.filter((slug) => due.get(slug)?.at.getTime() === until.getTime());
  return {
    due,
    async add(slugs, at) {
      for (const slug of slugs) if (!due.has(slug) || due.get(slug)!.at > at) due.set(slug, { at, tries: 0 });
    },
    async take(now, limit, until) {
      const overdue = [...due].filter(([, { at }]) => at <= now).slice(0, limit);
      return overdue.flatMap(([slug, { tries }]) => {
        const link = links.filed.get(slug);
        if (link === undefined) due.delete(slug);
        else due.set(slug, { at: until, tries: tries + 1 });
        return link === undefined
          ? []
          : [{ slug, destinationUrl: link.destinationUrl, flagged: link.flagged, tries: tries + 1 }];
      });
    },
    async finish(slugs, until) {
      for (const slug of taken(slugs, until)) due.delete(slug);
    },
    async putBack(slugs, until, at) {
      for (const slug of taken(slugs, until)) due.set(slug, { at, tries: due.get(slug)?.tries ?? 0 });
    },
    async addForHosts(rows, now, since) {
      const free = rows.filter(({ host }) => (hosts.get(host) ?? new Date(0)) < since);
      for (const { host, slug } of free) {
        hosts.set(host, now);
        if (!due.has(slug)) due.set(slug, { at: now, tries: 0 });
      }
      return free.length;
    },
  };
}

export interface TestBus extends Bus {
  readonly published: VerdictEvent[];
  readonly parked: { readonly message: BusMessage; readonly error: Error }[];
  failNext(times: number): void;
  /** Delivers messages to the subscribers in one batch. An object becomes JSON. */
  deliver(topic: TopicName, ...values: (string | object)[]): Promise<void>;
}

export function testBus(): TestBus {
  const handlers = new Map<TopicName, MessageHandler>();
  const published: VerdictEvent[] = [];
  const parked: TestBus['parked'] = [];
  let failures = 0;
  const carrier: MessageBus = {
    async publish(_topic, messages) {
      if (failures-- > 0) throw new Error('the bus is away');
      published.push(...messages.map(({ value }) => VERDICTS.decode(value)));
    },
    async subscribe(topic, _group, handler) {
      handlers.set(topic, handler);
      return { stop: async () => void handlers.delete(topic), lag: async () => 0 };
    },
  };
  return {
    ...typedBus(carrier, SILENT),
    published,
    parked,
    failNext: (times) => {
      failures = times;
    },
    async deliver(topic, ...values) {
      await handlers.get(topic)?.(
        values.map((value) => ({ key: 'k', value: typeof value === 'string' ? value : JSON.stringify(value) })),
        async (message, error) => void parked.push({ message, error }),
        () => {},
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
