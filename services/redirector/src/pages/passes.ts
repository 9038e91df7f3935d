/**
 * Some links must show their preview page before the redirect. The button on that page adds a pass to the address. A
 * pass expires, so a shared address with a pass soon shows the page again.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export interface Passes {
  /** Returns the query parameter `pass` with its value. */
  issue(slug: string): string;
  /** Returns true if the query has a pass for the link from this hour or the previous one. */
  isIn(query: string, slug: string): boolean;
}

const HOUR_MS = 3_600_000;
const PASS = /(?:^|&)pass=([\w-]{22})(?:&|$)/;

/** `now` is in Unix milliseconds. */
export function previewPasses(secret: Uint8Array, now: () => number): Passes {
  const sign = (slug: string, hour: number) =>
    createHmac('sha256', secret).update(`preview ${hour} ${slug}`).digest('base64url').slice(0, 22);
  const hour = () => Math.floor(now() / HOUR_MS);
  return {
    issue: (slug) => `pass=${sign(slug, hour())}`,
    isIn(query, slug) {
      const pass = PASS.exec(query)?.[1];
      if (pass === undefined) return false;
      return [hour(), hour() - 1].some((at) => timingSafeEqual(Buffer.from(pass), Buffer.from(sign(slug, at))));
    },
  };
}
