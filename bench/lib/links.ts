import { generateSlug, type RedirectRecord } from '../../libs/domain/src/index.ts';

/** A link that shows the page of a revoked one. */
export const REVOKED: RedirectRecord = {
  slug: 'revoked1',
  status: 'revoked',
  destinationUrl: 'https://example.org/',
  threatType: null,
  revokedAt: '2026-11-21T13:00:00.000Z',
  scannedAt: '2026-11-21T12:00:00.000Z',
  version: 2,
};

/** The same 10,000 links in every process: their slugs come from a fixed sequence. */
export function benchLinks(): RedirectRecord[] {
  const next = fixedBytes();
  return Array.from({ length: 10_000 }, (_, i) => ({
    slug: generateSlug(next),
    status: 'active',
    destinationUrl: `https://example.org/a/page/of/usual/length/${i}?campaign=autumn`,
    threatType: null,
    revokedAt: null,
    scannedAt: '2026-11-21T12:00:00.000Z',
    version: 1,
  }));
}

/** A linear congruential generator: not random, the same on every run. */
function fixedBytes(): (size: number) => Uint8Array {
  let state = 1;
  return (size) =>
    Uint8Array.from({ length: size }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state >>> 24;
    });
}
