import type { RedirectRecord } from '@waypost/domain';
import type { LinkCache } from '@waypost/ports';

/**
 * The link cache when all services share a process: a bounded map that evicts the least recently filled record.
 * `replace` does not wait, because it notifies the redirector's micro-cache before it resolves.
 */
export function inProcessLinkCache(options: { readonly size: number }): LinkCache {
  const records = new Map<string, RedirectRecord>();
  const listeners: ((record: RedirectRecord) => void)[] = [];

  const keepNewest = (record: RedirectRecord): RedirectRecord => {
    const known = records.get(record.slug);
    if (known !== undefined && known.version >= record.version) return known;
    records.delete(record.slug);
    records.set(record.slug, record);
    if (records.size > options.size) records.delete(records.keys().next().value!);
    return record;
  };

  const store = async (changed: readonly RedirectRecord[]) => {
    for (const record of changed) {
      const newest = keepNewest(record);
      for (const listener of listeners) listener(newest);
    }
  };

  return {
    get: async (slug) => records.get(slug),
    fill: async (record) => keepNewest(record),
    // Not cached: the only redirector would read it, and that one remembers it itself.
    fillUnknown: async (slug) => records.get(slug) ?? null,
    announce: store,
    put: store,
    replace: store,
    watch: (listener) => {
      listeners.push(listener);
    },
  };
}
