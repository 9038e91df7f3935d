export { createScanner, type Scanner, type ScannerDeps } from './app.ts';
export { FEEDS, FEEDS_OFF, RULES_OFF } from './config.ts';
export { registrableDomain } from './judge/urls/hosts.ts';
export { PROVIDERS, providersFrom } from './recheck/providers/providers.ts';
export { postgresRecheckQueue } from './recheck/recheck-queue.sql.ts';
export { postgresScannedLinks } from './recheck/scanned-links.sql.ts';
export type { FeedSource } from './threats/feeds/feed-source.ts';
export { postgresNoteFeed } from './threats/note-feed.sql.ts';
