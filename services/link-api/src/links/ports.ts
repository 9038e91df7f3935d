import type { ClickStats, LinkCache, QrDrawer, UrlScanner } from '@waypost/ports';
import type { Counter } from '@waypost/telemetry';
import type { SlotsOf } from '../platform/limits.ts';
import type { LinkImports } from './link-imports.port.ts';
import type { IdempotencyStore, LinkStore } from './link-store.port.ts';

export interface LinksPorts {
  readonly links: LinkStore;
  readonly imports: LinkImports;
  readonly idempotency: IdempotencyStore;
  readonly cache: Pick<LinkCache, 'announce' | 'put' | 'replace'>;
  readonly scanner: UrlScanner;
  readonly stats: ClickStats;
  readonly qrDrawer: QrDrawer;
  readonly slotsOf: SlotsOf;
  /** Throws `too_many_attempts`. */
  readonly spendDryRunRows: (accountId: string, rows: number) => void;
  readonly createdLinks: Pick<Counter<'status'>, 'inc'>;
  /** Without a trailing slash. */
  readonly redirectBaseUrl: string;
  readonly now: () => Date;
  /** These bytes become secrets, so their source must be cryptographically secure. */
  readonly randomBytes: (size: number) => Uint8Array;
  readonly onLateError: (error: unknown) => void;
}
