export { createScanner, type Scanner, type ScannerDeps } from './app.ts';
export { FEEDS, FEEDS_OFF, RULES_OFF } from './config.ts';
export { configuredDeepScans } from './deep/deep-scans.ts';
export { inspectorThread } from './deep/inspector-thread.ts';
export { DEEP_SCANS, INSPECTOR } from './deep/settings.ts';
export type { FeedSource } from './feeds/feed-source.ts';
export { PROVIDERS, providersFrom } from './providers/providers.ts';
export { registrableDomain } from './urls/hosts.ts';
