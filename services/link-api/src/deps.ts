import type { AccountFigures, ClickFigures, UrlPolicy } from '@waypost/domain';
import type {
  Bus,
  ClickPurge,
  ClickStats,
  CountryOf,
  LinkCache,
  Outbox,
  StoredClicks,
  ThreatFeeds,
  UrlScanner,
} from '@waypost/ports';
import type { TrustedProxies, UntrustedProxies } from '@waypost/process';
import type { SharedAnswers } from '@waypost/resilience';
import type { CachedReadiness, HealthCheck, Logger } from '@waypost/telemetry';
import type { Accounts } from './accounts/accounts.port.ts';
import type { AccountDeletions } from './privacy/deletions.port.ts';
import type { ConfiguredProvider, Identities } from './accounts/oidc/identity-provider.port.ts';
import type { Ceremonies, Passkeys } from './accounts/passkeys/passkeys.port.ts';
import type { PersonalData } from './privacy/personal-data.port.ts';
import type { Sessions } from './accounts/sessions.port.ts';
import type { AuditLog } from './audit/audit-log.port.ts';
import type { ApiKeys } from './keys/keys.port.ts';
import type { LinkImports } from './links/link-imports.port.ts';
import type { IdempotencyStore, LinkStore } from './links/link-store.port.ts';
import type { ApiCounts } from './platform/metrics.ts';
import type { Cases } from './moderation/cases.port.ts';
import type { OwnListings } from './moderation/own-listings.port.ts';
import type { Notices, SendMail } from './notices/notices.port.ts';
import type { SignInAttempts } from './platform/attempts.ts';
import type { TurnsByName } from './platform/limits.ts';
import type { InstallationSecret } from './platform/signed.ts';
import type { SendWebhook, WebhookQueue, Webhooks } from './webhooks/webhooks.port.ts';
import type { Webhooking } from './webhooks/webhooks.ts';

export interface LinkApiDeps {
  readonly accounts: Accounts;
  readonly deletions: AccountDeletions;
  readonly keys: ApiKeys;
  readonly sessions: Sessions;
  readonly attempts: SignInAttempts;
  readonly audit: AuditLog;
  readonly cases: Cases;
  readonly ownListings: OwnListings;
  readonly passkeys: Passkeys;
  readonly personalData: PersonalData;
  readonly secret: InstallationSecret;
  readonly ceremonies: Ceremonies;
  readonly identities: Identities;
  readonly byProvider: ConfiguredProvider | undefined;
  readonly links: LinkStore;
  readonly imports: LinkImports;
  readonly idempotency: IdempotencyStore;
  readonly notices: Notices;
  /** Undefined without a mail server. */
  readonly sendMail: SendMail | undefined;
  readonly outbox: Outbox;
  readonly webhooks: Webhooks;
  readonly webhookQueue: WebhookQueue;
  readonly sendWebhook: SendWebhook;
  readonly webhookPolicy: UrlPolicy;
  readonly webhookConcurrency: number;
  readonly cache: Pick<LinkCache, 'announce' | 'put' | 'replace'>;
  readonly scanner: UrlScanner;
  readonly feeds: ThreatFeeds;
  readonly stats: ClickStats;
  readonly storedClicks: StoredClicks;
  readonly clicks: ClickPurge;
  readonly bus: Bus;
  readonly urlPolicy: UrlPolicy;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Without a trailing slash. */
  readonly redirectBaseUrl: string;
  readonly trustedProxies: TrustedProxies;
  readonly countryOf: CountryOf;
  readonly proxies: UntrustedProxies;
  readonly health: Readonly<Record<string, HealthCheck>>;
  readonly logger: Logger;
  readonly now: () => Date;
  /** These bytes become secrets, so their source must be cryptographically secure. */
  readonly randomBytes: (size: number) => Uint8Array;
  readonly onLateError: (error: unknown) => void;
  readonly dashboardDir: string | undefined;
}

export interface EndpointDeps extends LinkApiDeps {
  readonly counts: ApiCounts;
  readonly turns: TurnsByName;
  readonly spendDryRunRows: (accountId: string, rows: number) => void;
  readonly webhooking: Webhooking;
  readonly figures: SharedAnswers<ClickFigures>;
  readonly figuresOfAccounts: SharedAnswers<AccountFigures>;
  readonly readiness: CachedReadiness;
}
