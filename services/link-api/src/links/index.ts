export { type ChangeLinkDeps, changeLink } from './change-link.ts';
export type { Idempotency } from './create.ts';
export { getLink } from './get.ts';
export type { LinkNote, LinkStore, RelayedEvent, Review } from './link-store.port.ts';
export { withImportedClicks } from './with-imported-clicks.ts';
