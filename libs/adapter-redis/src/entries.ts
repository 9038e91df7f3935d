/**
 * A link in Redis has the form `<version>|<record as JSON>`, so that a script can compare versions without parsing
 * JSON. Version 0 means that the link does not exist.
 */
import type { RedirectRecord } from '@waypost/domain';

export type Known = RedirectRecord | null;

export function entryOf(record: RedirectRecord): string {
  return `${record.version}|${JSON.stringify(record)}`;
}

export const UNKNOWN_ENTRY = '0|';

export function parseEntry(entry: string): Known | undefined {
  if (entry === UNKNOWN_ENTRY) return null;
  const bar = entry.indexOf('|');
  try {
    const record = JSON.parse(entry.slice(bar + 1)) as RedirectRecord;
    return String(record.version) === entry.slice(0, bar) ? record : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Writes each entry unless Redis has the same or a newer version. Returns that existing entry, or null for a written
 * one. If an epoch is given, it must still be the epoch of Redis. Otherwise a link read before a FLUSHALL could be
 * written after it, although a newer version was flushed.
 *
 * KEYS: the epoch's key, then one key for each entry. ARGV: the epoch that was read or '', the lifetimes of links and
 * unknown slugs in milliseconds, then the entries.
 */
export const WRITE_ENTRIES = `
local may = ARGV[1] == '' or ARGV[1] == redis.call('GET', KEYS[1])
local winners = {}
for i = 2, #KEYS do
  local entry = ARGV[i + 2]
  local version = tonumber(string.match(entry, '^%d+'))
  local found = redis.call('GET', KEYS[i])
  local foundVersion = found and tonumber(string.match(found, '^%d+')) or -1
  if foundVersion >= version then
    winners[i - 1] = found
  else
    winners[i - 1] = false
    if may then redis.call('SET', KEYS[i], entry, 'PX', version == 0 and ARGV[3] or ARGV[2]) end
  end
end
return winners`;
