import type { UrlPolicy } from '@waypost/domain';
import type { Bus, Outbox } from '@waypost/ports';
import type { Database } from '@waypost/postgres';
import type { Metrics } from '@waypost/telemetry';
import { slice } from '../platform/slice.ts';
import { type QueuePorts, queueLinkEvents } from '../webhooks/index.ts';
import { applyVerdicts } from './apply-verdicts.consumer.ts';
import { checkUrlEndpoint } from './check.endpoint.ts';
import { createLinkEndpoint } from './create.endpoint.ts';
import { createLinksInBulkEndpoint } from './create-in-bulk.endpoint.ts';
import { dryRunRows } from './dry-run-rows.ts';
import { endLinks } from './end-links.job.ts';
import { getFacetsEndpoint } from './facets.endpoint.ts';
import { getLinkEndpoint } from './get.endpoint.ts';
import { getScanEndpoint } from './get-scan.endpoint.ts';
import { postgresIdempotencyStore } from './idempotency.sql.ts';
import { postgresLinkImports } from './link-imports.sql.ts';
import { postgresLinkStore } from './links.sql.ts';
import { listLinksEndpoint } from './list.endpoint.ts';
import { createdLinks, outboxMetrics } from './metrics.ts';
import { postgresOutbox } from './outbox.sql.ts';
import type { LinksPorts } from './ports.ts';
import { getQrCodeEndpoint } from './qr.endpoint.ts';
import { relayOutbox } from './relay-outbox.job.ts';
import { revokeLinkEndpoint } from './revoke.endpoint.ts';
import { tagLinksEndpoint } from './tag.endpoint.ts';
import { updateLinkEndpoint } from './update.endpoint.ts';

export { outboxWaker } from './outbox.sql.ts';

interface Ports extends Omit<LinksPorts, 'spendDryRunRows' | 'createdLinks'>, QueuePorts {
  readonly urlPolicy: UrlPolicy;
  readonly outbox: Outbox;
  readonly bus: Bus;
  readonly metrics: Metrics;
}

/** The policy decides which destinations a new link may have. */
export const links = (policy: UrlPolicy) =>
  slice({
    endpoints: [
      createLinkEndpoint(policy),
      listLinksEndpoint,
      getFacetsEndpoint,
      createLinksInBulkEndpoint(policy),
      checkUrlEndpoint,
      getLinkEndpoint,
      updateLinkEndpoint,
      tagLinksEndpoint,
      revokeLinkEndpoint,
      getScanEndpoint,
      getQrCodeEndpoint,
    ],
    open: (ports: Ports) => {
      outboxMetrics(ports.metrics, ports);
      return {
        ports: { ...ports, spendDryRunRows: dryRunRows(ports.now), createdLinks: createdLinks(ports.metrics) },
        jobs: [
          () => endLinks(ports),
          () => applyVerdicts(ports),
          () => relayOutbox({ ...ports, queueWebhooks: (events) => queueLinkEvents(ports, events) }),
        ],
        forget: [(now) => ports.idempotency.forget(now), (now) => ports.imports.forget(now)],
      };
    },
  });

interface StoreOptions {
  readonly creationsPerHour: number;
  readonly wakeOutbox: () => void;
  readonly onRelayError: (error: unknown) => void;
}

export const linkStores = (db: Database, { wakeOutbox, onRelayError, ...limits }: StoreOptions) => ({
  links: postgresLinkStore(db, limits, wakeOutbox),
  imports: postgresLinkImports(db, wakeOutbox),
  idempotency: postgresIdempotencyStore(db),
  outbox: postgresOutbox(db, onRelayError),
});

export { changeOfLink } from './audited.ts';
export { type ChangeLinkDeps, changeLink } from './change-link.ts';
export { eraseNextLinks } from './erase.sql.ts';
export { linkErrors } from './errors.http.ts';
export { getLinkEndpoint } from './get.endpoint.ts';
export { findLink, getLink } from './get.ts';
export { CLICKS } from './limits.ts';
export type { LinkImports } from './link-imports.port.ts';
export { linkOf } from './link-lists.sql.ts';
export type { Decide, LinkPlace, LinkStore } from './link-store.port.ts';
export { FLAGGED_EXAMPLE, LINK_EXAMPLE, linkBody, presentLink, slugField, slugParam } from './links.schema.ts';
export { lockLinks, queueEvents } from './links.sql.ts';
export { listLinksEndpoint } from './list.endpoint.ts';
export { presentVerdict, VERDICT, verdictList } from './verdicts.schema.ts';
export { withImportedClicks } from './with-imported-clicks.ts';
