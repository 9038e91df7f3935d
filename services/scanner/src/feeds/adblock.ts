import { type FeedLine, hostEntry, linesOf, misunderstood, understood, urlEntry } from './entry.ts';

/** Options of a rule that blocks the page itself. Others (`third-party`, `domain=`, …) do not say that a page is bad. */
const WHOLE_PAGE = /^(?:all|doc|document|important|popup)$/;
/** Comments, the header, exceptions, and rules that hide parts of a page: not for us, and no fault of the list. */
const NOT_FOR_US = /^(?:!|#|\[|@@)|#@?[?$]?#/;

/** Format `adblock`: the network rules of uBlock Origin and AdGuard that name a host or an address below it. */
export function* adblock(content: string): Generator<FeedLine> {
  for (const line of linesOf(content)) {
    if (NOT_FOR_US.test(line.text)) continue;
    const [, anchor, pattern = '', options] = /^(\|\|?)?(.*?)\^?\|?(?:\$([\w,~=|.-]+))?$/s.exec(line.text)!;
    if (options !== undefined && !options.split(',').every((option) => WHOLE_PAGE.test(option))) {
      yield misunderstood(line, 'a rule with options that we cannot honour');
      continue;
    }
    // A single bar is the start of the address, which then has its scheme.
    const known = pattern.includes('*') || pattern.includes('^') || (anchor === '|' && !/^https?:/i.test(pattern));
    // Without an anchor a mere word stands for any text that holds it.
    const isWord = anchor === undefined && !pattern.includes('.');
    const entry = known || isWord ? undefined : (hostEntry(pattern) ?? urlEntry(pattern));
    yield entry === undefined ? misunderstood(line, 'not a rule for a host or an address') : understood(line, [entry]);
  }
}
