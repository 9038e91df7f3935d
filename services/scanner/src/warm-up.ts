import type { UrlScanner } from '@waypost/ports';

const URLS = 60;
const LENGTH = 2_000;
/** URLs that run much of the code: parameters, URLs in the path, and several layers of escapes. */
const PARTS = [
  'u=http%3A%2F%2Fnested.example.com%2Fa%2F&',
  'http://nested.example.com/a/',
  'u=http%253A%252F%252Fa.example%252F&',
];

/** Makes V8 compile the code before the first request: the costliest bulk takes twice the CPU when cold. */
export async function warmUp(scanner: UrlScanner): Promise<void> {
  for (const part of PARTS) {
    const wide = part.repeat(LENGTH / part.length);
    await scanner.scan(Array.from({ length: URLS }, (_, i) => `https://host${i}.example.com/?${wide}`));
  }
}
