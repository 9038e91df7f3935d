import { type FeedLine, feedLine, linesOf, urlEntry } from './entry.ts';

/** Format `urls`: one URL per line, with or without a scheme; `#` comments, after white space at the end of a line. */
export function* urls(content: string): Generator<FeedLine> {
  for (const line of linesOf(content)) {
    if (line.text.startsWith('#')) continue;
    const entry = urlEntry(line.text.split(/\s#/, 1)[0]!.trimEnd());
    yield feedLine(line, entry && [entry], 'not a URL');
  }
}
