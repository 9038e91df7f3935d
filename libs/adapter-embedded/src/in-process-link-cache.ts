import type { RedirectRecord } from '@waypost/domain';
import type { LinkCache } from '@waypost/ports';

/**
 * The link cache when all services share a process. When it is full, it drops the record that was stored the longest
 * time ago. `replace` does not wait, because it tells the redirector's own cache before it resolves.
 */
export function inProcessLinkCache(options: { readonly size: number }): LinkCache {
  const records = new Map<string, RedirectRecord>();
  const listeners: ((record: RedirectRecord) => void)[] = [];

  const keepNewest = (record: RedirectRecord): RedirectRecord => {
    const current = records.get(record.slug);
    if (current !== undefined && current.version >= record.version) return current;
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
    // An unknown slug is not stored, because the only redirector remembers it itself.
    fillUnknown: async (slug) => records.get(slug) ?? null,
    announce: store,
    put: store,
    replace: store,
    watch: (listener) => {
      listeners.push(listener);
    },
  };
}
