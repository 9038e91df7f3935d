import { generateSlug, type RedirectRecord } from '../../libs/domain/src/index.ts';

/** The owner of the links of all benches. */
export const BENCH_ACCOUNT = '0193a5d0-7c1e-4abc-8def-0123456789ab';

export const REVOKED: RedirectRecord = {
  slug: 'revoked1',
  ownerId: BENCH_ACCOUNT,
  status: 'revoked',
  destinationUrl: 'https://example.org/',
  threatType: null,
  revokedAt: '2026-11-21T13:00:00.000Z',
  scannedAt: '2026-11-21T12:00:00.000Z',
  version: 2,
};

/** Returns the same 10,000 links in every process, because their slugs come from a fixed sequence. */
export function benchLinks(): RedirectRecord[] {
  const next = repeatable();
  const bytes = (size: number) => Uint8Array.from({ length: size }, () => next() >>> 24);
  return Array.from({ length: 10_000 }, (_, i) => ({
    slug: generateSlug(bytes),
    ownerId: BENCH_ACCOUNT,
    status: 'active',
    destinationUrl: `https://example.org/a/page/of/usual/length/${i}?campaign=autumn`,
    threatType: null,
    revokedAt: null,
    scannedAt: '2026-11-21T12:00:00.000Z',
    version: 1,
  }));
}

/** A 32-bit linear congruential generator. It returns the same numbers in every run. */
export function repeatable(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
}
