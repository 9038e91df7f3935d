import { type FeedLine, hostEntry, linesOf, misunderstood, understood, urlEntry } from './entry.ts';

/**
 * Options of a rule that blocks the page itself. Others (`third-party`, `domain=`, …) do not mean that a page is bad.
 */
const WHOLE_PAGE = /^(?:all|doc|document|important|popup)$/;
/** Comments, the header, exceptions, and rules that hide parts of a page: skipped, and not counted as bad lines. */
const NOT_FOR_US = /^(?:!|#|\[|@@)|#@?[?$]?#/;

/** Format `adblock`: network rules of uBlock Origin and AdGuard that name a host or an address on it. */
export function* adblock(content: string): Generator<FeedLine> {
  for (const line of linesOf(content)) {
    if (NOT_FOR_US.test(line.text)) continue;
    const [, anchor, pattern = '', options] = /^(\|\|?)?(.*?)\^?\|?(?:\$([\w,~=|.-]+))?$/s.exec(line.text)!;
    if (options !== undefined && !options.split(',').every((option) => WHOLE_PAGE.test(option))) {
      yield misunderstood(line, 'a rule with options that we cannot honour');
      continue;
    }
    // A single bar marks the start of the address, which then has a scheme.
    const isUnsupported =
      pattern.includes('*') || pattern.includes('^') || (anchor === '|' && !/^https?:/i.test(pattern));
    // Without an anchor, a plain word matches any text that contains it.
    const isWord = anchor === undefined && !pattern.includes('.');
    const entry = isUnsupported || isWord ? undefined : (hostEntry(pattern) ?? urlEntry(pattern));
    yield entry === undefined ? misunderstood(line, 'not a rule for a host or an address') : understood(line, [entry]);
  }
}
