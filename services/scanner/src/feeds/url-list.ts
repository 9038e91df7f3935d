import { type FeedLine, linesOf, misunderstood, understood, urlEntry } from './entry.ts';

/** Format `urls`: one URL per line, with or without a scheme; `#` comments, after white space at the end of a line. */
export function* urls(content: string): Generator<FeedLine> {
  for (const line of linesOf(content)) {
    if (line.text.startsWith('#')) continue;
    const entry = urlEntry(withoutComment(line.text));
    yield entry === undefined ? misunderstood(line, 'not a URL') : understood(line, [entry]);
  }
}

function withoutComment(text: string): string {
  const start = text.search(/\s#/);
  return start < 0 ? text : text.slice(0, start).trimEnd();
}
