export { createScanner, type Scanner, type ScannerDeps } from './app.ts';
export { FEEDS, FEEDS_OFF, RULES_OFF } from './config.ts';
export { configuredDeepScans } from './deep-scans/deep-scans.ts';
export { DEEP_SCANS } from './deep-scans/settings.ts';
export { registrableDomain } from './judge/urls/hosts.ts';
export { PROVIDERS, providersFrom } from './recheck/providers/providers.ts';
export type { FeedSource } from './threats/feeds/feed-source.ts';
