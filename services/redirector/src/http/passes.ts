/**
 * What the button of a preview page carries, where visitors must see that page before they go on: a link that somebody
 * hands out with a pass in it shows the page again when the pass has expired.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export interface Passes {
  /** For the query of the link's address. */
  issue(slug: string): string;
  /** Whether the query has a pass of this or the previous hour for the link. */
  isIn(query: string, slug: string): boolean;
}

const HOUR_MS = 3_600_000;
const PASS = /(?:^|&)pass=([\w-]{22})(?:&|$)/;

/** `now` in Unix milliseconds. */
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
