import { addressIn } from '@waypost/domain';
import { type FeedEntry, type FeedLine, feedLine, hostEntry, linesOf } from './entry.ts';

/** Hosts files send blocked names to these addresses. */
const SINK = /^(?:0\.0\.0\.0|127(?:\.\d{1,3}){3}|::1?|fe80::1%lo0|ff0[0-9]::[0-9]|255\.255\.255\.255)$/;
/** Every hosts file describes the machine itself by these names. */
const BOILERPLATE = new Set(
  `localhost localhost.localdomain localhost4 localhost6 local broadcasthost ip6-localhost ip6-loopback ip6-localnet
   ip6-mcastprefix ip6-allnodes ip6-allrouters ip6-allhosts 0.0.0.0`.split(/\s+/),
);

/** Format `hosts`: one or several names per line, or lines of a hosts file; `#` comments anywhere. */
export function* hosts(content: string): Generator<FeedLine> {
  for (const line of linesOf(content)) {
    const words = line.text.split('#', 1)[0]!.trim().split(/\s+/);
    if (words[0] === '') continue;
    const isSunk = words.length > 1 && SINK.test(words[0]!);
    const isMapped = isSunk || (words.length > 1 && addressIn(words[0]!) !== undefined);
    if (isMapped && !isSunk) {
      yield feedLine(line, undefined, 'maps a host name to an IP address of its own');
      continue;
    }
    const names = isMapped ? words.slice(1) : words;
    // A public suffix counts only alone on a line: in a sentence, some words are suffixes by chance.
    const isSentence = !isMapped && words.length > 1 && !words.every((word) => word.includes('.'));
    const entries = isSentence ? undefined : entriesOf(names.filter((name) => !BOILERPLATE.has(name.toLowerCase())));
    yield feedLine(line, entries, 'not a host name');
  }
}

function entriesOf(names: readonly string[]): FeedEntry[] | undefined {
  const entries: FeedEntry[] = [];
  for (const name of names) {
    // "*.evil.example" and ".evil.example" mean the same as a host entry.
    const entry = hostEntry(name.replace(/^\*?\./, ''));
    if (entry === undefined) return undefined;
    entries.push(entry);
  }
  return entries;
}
