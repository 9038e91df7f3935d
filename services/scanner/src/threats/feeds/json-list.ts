import { parsedJson } from '@waypost/domain';
import { entryExpression, type FeedEntry, type FeedLine, feedLine, hostEntry, urlEntry } from './entry.ts';

/** Members with harmful entries, in the files of different projects: `blacklist` of MetaMask, `deny` of polkadot. */
const LISTING = ['domains', 'blacklist', 'blocklist', 'deny'];
/** Members with harmless entries, which are left out. */
const ALLOWING = ['whitelist', 'allowlist', 'allow'];

/** Format `json`: a list of hosts and URLs, or an object with such lists. A line's number is the place in the list. */
export function* jsonList(content: string): Generator<FeedLine> {
  const data = parsedJson(content.replace(/^\ufeff/, ''));
  const entries = Array.isArray(data) ? data : membersOf(data, LISTING);
  if (entries === undefined) {
    yield feedLine({ number: 1, text: content.slice(0, 200) }, undefined, 'not JSON with a list of hosts or URLs');
    return;
  }
  const allowed = new Set(
    (Array.isArray(data) ? [] : (membersOf(data, ALLOWING) ?? [])).flatMap((value) => {
      const entry = entryOf(value);
      return entry === undefined ? [] : entryExpression(entry);
    }),
  );
  for (const [at, value] of entries.entries()) {
    const line = { number: at + 1, text: typeof value === 'string' ? value : typeof value };
    const entry = entryOf(value);
    if (entry === undefined || !allowed.has(entryExpression(entry)))
      yield feedLine(line, entry && [entry], 'not a host or a URL');
  }
}

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
