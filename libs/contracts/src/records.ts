import type { RedirectRecord } from '@waypost/domain';

export function active(slug: string, version = 1): RedirectRecord {
  return {
    slug,
    ownerId: '0193a5d0-7c1e-4abc-8def-0123456789ab',
    status: 'active',
    destinationUrl: `https://example.com/ü?a=%20#${slug}`,
    threatType: null,
    revokedAt: null,
    scannedAt: '2026-11-21T12:00:00.000Z',
    version,
  };
}

export function revoked(slug: string, version = 2): RedirectRecord {
  return { ...active(slug, version), status: 'revoked', revokedAt: '2026-11-21T13:00:00.000Z' };
}
