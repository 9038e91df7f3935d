import { type FeedLine, feedLine, hostEntry, linesOf, urlEntry } from './entry.ts';

/** Options of a rule that blocks a page. With others (`third-party`, `domain=`, …) the page may be harmless. */
const WHOLE_PAGE = /^(?:all|doc|document|important|popup)$/;
/** These lines are comments, the header, exceptions, and rules that hide parts of a page. */
const NOT_FOR_US = /^(?:!|#|\[|@@)|#@?[?$]?#/;

/** Format `adblock`: network rules of uBlock Origin and AdGuard that name a host or an address on it. */
export function* adblock(content: string): Generator<FeedLine> {
  for (const line of linesOf(content)) {
    if (NOT_FOR_US.test(line.text)) continue;
    const [, anchor, pattern = '', options] = /^(\|\|?)?(.*?)\^?\|?(?:\$([\w,~=|.-]+))?$/s.exec(line.text)!;
    if (options !== undefined && !options.split(',').every((option) => WHOLE_PAGE.test(option))) {
      yield feedLine(line, undefined, 'a rule with options that are not supported');
      continue;
    }
    // A single bar marks the start of the address, which then has a scheme.
    const isUnsupported =
      pattern.includes('*') || pattern.includes('^') || (anchor === '|' && !/^https?:/i.test(pattern));
    // Without an anchor, a plain word matches any text that contains it.
    const isWord = anchor === undefined && !pattern.includes('.');
    const entry = isUnsupported || isWord ? undefined : (hostEntry(pattern) ?? urlEntry(pattern));
    yield feedLine(line, entry && [entry], 'not a rule for a host or a URL');
  }
}
