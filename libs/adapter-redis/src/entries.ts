/**
 * The format of links in Redis: `<version>|<record as JSON>`, so that a script can compare versions without parsing the
 * rest. Version 0 means that there is no such link.
 */
import type { RedirectRecord } from '@waypost/domain';

export type Known = RedirectRecord | null;

export function entryOf(record: RedirectRecord): string {
  return `${record.version}|${JSON.stringify(record)}`;
}

export const UNKNOWN_ENTRY = '0|';

/** Undefined for anything that is not an entry of ours. */
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
 * Writes each entry unless Redis has one of the same or a newer version, and returns the existing entry instead (or
 * nothing where it wrote). With an epoch it writes only while that is still the epoch of Redis: an entry that was read
 * from the store before a FLUSHALL must not be written after it, because the tombstone that would have refused it is
 * gone.
 *
 * KEYS: the epoch's, then one for each entry. ARGV: the epoch seen or '', the lifetimes of links and unknown slugs in
 * milliseconds, then the entries.
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
