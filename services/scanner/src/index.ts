export { createScanner, type Scanner, type ScannerDeps } from './app.ts';
export { FEEDS, FEEDS_OFF, RULES_OFF } from './config.ts';
export { registrableDomain } from './judge/urls/hosts.ts';
export { configuredDeepScans } from './recheck/deep/deep-scans.ts';
export { DEEP_SCANS } from './recheck/deep/settings.ts';
export { PROVIDERS, providersFrom } from './recheck/providers/providers.ts';
export type { FeedSource } from './threats/feeds/feed-source.ts';
