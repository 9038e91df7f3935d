/**
 * How links lie in Redis: `<version>|<record as JSON>`, so that a script can compare versions without reading the rest.
 * Version 0 says that there is no such link.
 */
import type { RedirectRecord } from '@waypost/domain';

export type Known = RedirectRecord | null;

export function entryOf(record: RedirectRecord): string {
  return `${record.version}|${JSON.stringify(record)}`;
}

export const UNKNOWN_ENTRY = '0|';

/** Undefined for what is no entry of ours. */
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
 * Writes each entry unless one of the same or a newer version is there, and answers with what is there instead (or with
 * nothing where it wrote). With an epoch it writes only as long as that is still Redis' own: an entry that was read from
 * the store before a FLUSHALL must not land behind it, where the tombstone that would have refused it is gone.
 *
 * KEYS: the epoch's, then one for each entry. ARGV: the epoch seen or '', how long links and unknown slugs are kept in
 * milliseconds, then the entries.
 */
export const WRITE_ENTRIES = `
local may = ARGV[1] == '' or ARGV[1] == redis.call('GET', KEYS[1])
local winners = {}
for i = 2, #KEYS do
  local mine = ARGV[i + 2]
  local version = tonumber(string.match(mine, '^%d+'))
  local held = redis.call('GET', KEYS[i])
  local heldVersion = held and tonumber(string.match(held, '^%d+')) or -1
  if heldVersion >= version then
    winners[i - 1] = held
  else
    winners[i - 1] = false
    if may then redis.call('SET', KEYS[i], mine, 'PX', version == 0 and ARGV[3] or ARGV[2]) end
  end
end
return winners`;
