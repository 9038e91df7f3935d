import type { LinkEvent } from '@waypost/domain';
import type { Bus, BusMessage, LinkCache, LinkReader, Outbox, OutboxRow } from '@waypost/ports';

interface Deps {
  readonly outbox: Outbox;
  readonly bus: Pick<Bus, 'publish'>;
  readonly cache: Pick<LinkCache, 'replace'>;
  readonly reader: LinkReader;
}

/**
 * Publishes committed events in order. Before that it tells the cache again of links that changed: if the process
 * that revoked one ended between its commit and the cache, this is what heals it.
 */
export function relayOutbox(deps: Deps): Promise<{ stop(): Promise<void> }> {
  return deps.outbox.drain(async (rows) => {
    const changed = new Set(rows.filter(isChange).map(({ key }) => key));
    const records = await Promise.all([...changed].map((slug) => deps.reader.find(slug)));
    await deps.cache.replace(records.filter((record) => record !== undefined));
    for (const [topic, messages] of byTopic(rows)) await deps.bus.publish(topic, messages);
  });
}

function isChange(row: OutboxRow): boolean {
  return (JSON.parse(row.value) as LinkEvent).type !== 'link.created';
}

function byTopic(rows: readonly OutboxRow[]): Map<OutboxRow['topic'], BusMessage[]> {
  const topics = new Map<OutboxRow['topic'], BusMessage[]>();
  for (const { topic, id: _, ...message } of rows) {
    const messages = topics.get(topic) ?? [];
    topics.set(topic, messages);
    messages.push(message);
  }
  return topics;
}
