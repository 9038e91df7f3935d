import { parseIp } from '@waypost/domain';
import { type FeedEntry, type FeedLine, hostEntry, linesOf, misunderstood, understood } from './entry.ts';

/** Where hosts files send what they block. */
const SINK = /^(?:0\.0\.0\.0|127(?:\.\d{1,3}){3}|::1?|fe80::1%lo0|ff0[0-9]::[0-9]|255\.255\.255\.255)$/;
/** What every hosts file says about the machine itself. */
const BOILERPLATE = new Set(
  `localhost localhost.localdomain localhost4 localhost6 local broadcasthost ip6-localhost ip6-loopback ip6-localnet
   ip6-mcastprefix ip6-allnodes ip6-allrouters ip6-allhosts 0.0.0.0`.split(/\s+/),
);

/** Format `hosts`: names, one or several a line, or lines of a hosts file; `#` comments anywhere. */
export function* hosts(content: string): Generator<FeedLine> {
  for (const line of linesOf(content)) {
    const words = line.text.replace(/#.*$/, '').trim().split(/\s+/);
    if (words[0] === '') continue;
    const isMapped = words.length > 1 && parseIp(words[0]!) !== undefined;
    if (isMapped && !SINK.test(words[0]!)) {
      yield misunderstood(line, 'sends a name to an address of its own');
      continue;
    }
    const names = words.length > 1 && SINK.test(words[0]!) ? words.slice(1) : words;
    const entries: FeedEntry[] = [];
    let unreadable: string | undefined;
    for (const name of names) {
      if (BOILERPLATE.has(name.toLowerCase())) continue;
      // "*.evil.example" and ".evil.example" are other people's words for what a host entry means anyway.
      const entry = hostEntry(name.replace(/^\*?\./, ''));
      if (entry === undefined) unreadable ??= name;
      else entries.push(entry);
    }
    if (unreadable === undefined) yield understood(line, entries);
    else yield { ...line, entries, problem: 'not a host name' };
  }
}
