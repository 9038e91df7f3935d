import {
  entryExpression,
  type FeedEntry,
  type FeedLine,
  hostEntry,
  misunderstood,
  understood,
  urlEntry,
} from './entry.ts';

/** The members that list what is bad, in the files of different projects. */
const LISTING = ['domains', 'blacklist', 'blocklist', 'deny'];
/** And what is good, whatever the others say. */
const ALLOWING = ['whitelist', 'allowlist', 'allow'];

/**
 * Format `json`: a list of hosts and URLs, or an object with such a list as its member `domains`, `blacklist` (MetaMask),
 * `blocklist` or `deny` (polkadot). Entries of `whitelist`, `allowlist` or `allow` are left out; other members, such as
 * MetaMask's `fuzzylist`, are ignored. The number of a line is the place in the list.
 */
export function* jsonList(content: string): Generator<FeedLine> {
  const data = parsed(content.replace(/^\ufeff/, ''));
  const listed = Array.isArray(data) ? data : membersOf(data, LISTING);
  if (listed === undefined) {
    yield misunderstood({ number: 1, text: content.slice(0, 200) }, 'not JSON with a list of hosts or URLs');
    return;
  }
  const allowed = new Set(
    (Array.isArray(data) ? [] : (membersOf(data, ALLOWING) ?? [])).flatMap((value) => {
      const entry = entryOf(value);
      return entry === undefined ? [] : entryExpression(entry);
    }),
  );
  for (const [at, value] of listed.entries()) {
    const line = { number: at + 1, text: typeof value === 'string' ? value : typeof value };
    const entry = entryOf(value);
    if (entry === undefined) yield misunderstood(line, 'not a host or a URL');
    else if (!allowed.has(entryExpression(entry))) yield understood(line, [entry]);
  }
}

function parsed(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

/** Undefined if the object has none of these lists. */
function membersOf(data: unknown, names: readonly string[]): unknown[] | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const lists = Object.entries(data).flatMap(([name, value]) =>
    names.includes(name) && Array.isArray(value) ? [value] : [],
  );
  return lists.length === 0 ? undefined : lists.flat();
}

function entryOf(value: unknown): FeedEntry | undefined {
  return typeof value === 'string' ? (hostEntry(value.trim()) ?? urlEntry(value.trim())) : undefined;
}
