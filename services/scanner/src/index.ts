export {
  createScanner,
  type FeedStatus,
  type Scanner,
  type ScannerDeps,
  type ScannerStatus,
} from './app.ts';
export { FEEDS, FEEDS_OFF, RULES_OFF } from './config.ts';
export { configuredDeepScans, type DeepScanDeps } from './deep/deep-scans.ts';
export { type InspectorThread, inspectorThread } from './deep/inspector-thread.ts';
export { DEEP_SCANS, INSPECTOR } from './deep/settings.ts';
export type { FeedSource } from './feeds/feed-source.ts';
export { FEED_FORMATS, type FeedFormat } from './feeds/formats.ts';
export { scannerCommands } from './operator-commands.ts';
export { PROVIDERS, providersFrom } from './providers/providers.ts';
export { registrableDomain } from './urls/hosts.ts';
export type { FeedContent, FeedDescription, ImportedFeed } from './use-cases/import-feed.ts';
export type { ListedFeed } from './use-cases/list-feeds.ts';
