import { LINKS, redirectRecord } from '@waypost/domain';
import type { Bus, LinkCache, LinkStore, Outbox, OutboxRow } from '@waypost/ports';
import { recordSpans } from '@waypost/telemetry';
import { traceparentOf } from '@waypost/typed-bus';

interface Deps {
  readonly outbox: Outbox;
  readonly bus: Pick<Bus, 'publishEncoded'>;
  readonly cache: Pick<LinkCache, 'put'>;
  readonly links: Pick<LinkStore, 'findAll'>;
}

/**
 * Publishes committed events in order. Before that, it updates the cache again for changed links: this repairs the
 * cache if the process that revoked a link died between its commit and the cache update.
 */
export function relayOutbox(deps: Deps): Promise<{ stop(): Promise<void> }> {
  return deps.outbox.drain(async (rows) => {
    const changed = new Set(rows.filter(isChange).map(({ key }) => key));
    if (changed.size > 0) await deps.cache.put((await deps.links.findAll([...changed])).map(redirectRecord));
    const startedAt = Date.now();
    await deps.bus.publishEncoded(LINKS, rows);
    recordSpans('send link event', rows, traceparentOf, () => startedAt, Date.now(), 'send');
  });
}

/**
 * Looked for in the text, since most rows are no changes: no other field can hold it, as JSON has a backslash before each
 * quote within a value. A link whose creation is not seen is only read once more.
 */
const CREATED = '"type":"link.created"';

function isChange(row: OutboxRow): boolean {
  return !row.value.includes(CREATED);
}
