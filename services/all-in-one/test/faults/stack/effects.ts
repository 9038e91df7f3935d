/** Compares the effects of requests, in the store and in the topic of links, with the answers that callers got. */
import { readAll } from '@waypost/adapter-kafka/under-test';
import { LINKS, type LinkEvent } from '@waypost/domain';
import type { openDatabase } from '@waypost/postgres';
import { pause } from '@waypost/test-support';
import type { Answer, Json } from '../../waypost-process.ts';
import type { apiClient } from './stack-under-test.ts';

type Db = Awaited<ReturnType<typeof openDatabase>>;

export interface Creation {
  readonly destinations: readonly string[];
  readonly key: string | undefined;
  answer: Answer | undefined;
}

export const slugsOf = ({ body }: Answer): string[] =>
  body.links === undefined ? [body.link.slug] : body.links.map(({ link }: Json) => link.slug);

interface LinkRow {
  readonly slug: string;
  readonly destination_url: string;
  readonly status: string;
}

export async function allLinks(api: ReturnType<typeof apiClient>): Promise<LinkRow[]> {
  const links: LinkRow[] = [];
  for (let page = 1; ; page++) {
    const { status, body } = await api('GET', `/api/v1/links?limit=100&page=${page}`);
    if (status !== 200) throw new Error(`the list was answered ${status}: ${JSON.stringify(body)}`);
    links.push(...body.data);
    if (page >= body.total_pages) return links;
  }
}

export function checkCreations(creations: readonly Creation[], links: readonly LinkRow[]): string[] {
  return creations.flatMap(({ destinations, key, answer }) => {
    const created = destinations.map((one) => links.filter((link) => link.destination_url === one));
    const what = `${destinations.length} links ${key === undefined ? 'without' : 'with'} a key, answered ${answer?.status}`;
    const counts = new Set(created.map(({ length }) => length));
    if (counts.size !== 1) return [`half done: ${what}, made ${created.map(({ length }) => length)}`];
    const [count] = counts;
    if (count! > 1) return [`done ${count} times: ${what}`];
    if (answer?.status !== 201) return [];
    if (count !== 1) return [`not there: ${what}`];
    const named = slugsOf(answer);
    return named.every((slug, i) => created[i]![0]!.slug === slug) ? [] : [`named other slugs: ${what}`];
  });
}

/**
 * Checks that each link's events came at least once, in order and without gaps, and that each event belongs to a link.
 */
export async function checkEvents(
  kafka: Parameters<typeof readAll>[0],
  db: Db,
  links: readonly LinkRow[],
): Promise<string[]> {
  const start = performance.now();
  for (;;) {
    const messages = await readAll(kafka, LINKS.name);
    const events = new Map<string, { event: LinkEvent; partition: number; offset: bigint }[]>();
    for (const { value, partition, offset } of messages) {
      const event = LINKS.decode(value);
      events.set(event.slug, [...(events.get(event.slug) ?? []), { event, partition, offset: BigInt(offset) }]);
    }
    const rows: { slug: string; version: number }[] = await db.query(
      'SELECT slug, version FROM links WHERE slug = ANY($1)',
      [[...events.keys(), ...links.map(({ slug }) => slug)]],
    );
    const versions = new Map(rows.map(({ slug, version }) => [slug, version]));
    const problems: string[] = [];
    for (const slug of events.keys()) if (!versions.has(slug)) problems.push(`an event of ${slug}, which is not there`);
    for (const { slug } of links) {
      const ofSlug = (events.get(slug) ?? []).sort((a, b) => Number(a.offset - b.offset));
      if (new Set(ofSlug.map(({ partition }) => partition)).size > 1) problems.push(`${slug} is in two partitions`);
      const order = [...new Set(ofSlug.map(({ event }) => event.version))];
      const expected = Array.from({ length: versions.get(slug) ?? 0 }, (_, i) => i + 1);
      if (order.join() !== expected.join()) problems.push(`events of ${slug}: versions ${order}, not ${expected}`);
    }
    if (problems.length === 0 || performance.now() - start > 60_000) return problems.slice(0, 10);
    await pause(1_000);
  }
}
