import type { LinkCache, ThreatFeeds } from '@waypost/ports';
import type { Accounts } from '../accounts/index.ts';
import type { AuditLog } from '../audit/index.ts';
import type { LinkStore } from '../links/index.ts';
import type { Cases } from './cases.port.ts';
import type { OwnListings } from './own-listings.port.ts';
import type { Suspensions } from './suspensions.port.ts';

export interface ModerationPorts {
  readonly cases: Cases;
  readonly suspensions: Suspensions;
  readonly ownListings: OwnListings;
  readonly accounts: Pick<Accounts, 'find' | 'findByEmail'>;
  readonly audit: Pick<AuditLog, 'read'>;
  readonly links: LinkStore;
  readonly cache: Pick<LinkCache, 'replace'>;
  readonly feeds: ThreatFeeds;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly now: () => Date;
  readonly baseUrl: string;
  readonly redirectBaseUrl: string;
}
