import type { ClickFigures, UrlPolicy } from '@waypost/domain';
import type {
  AccountDeletions,
  Accounts,
  ApiKeys,
  AuditLog,
  Bus,
  Cases,
  Ceremonies,
  ClickPurge,
  ClickStats,
  ConfiguredProvider,
  IdempotencyStore,
  Identities,
  LinkCache,
  LinkImports,
  LinkStore,
  Outbox,
  Passkeys,
  PersonalData,
  SendWebhook,
  Sessions,
  SignInAttempts,
  ThreatFeeds,
  UrlScanner,
  WebhookQueue,
  Webhooks,
} from '@waypost/ports';
import type { TrustedProxies } from '@waypost/process';
import type { SharedAnswers } from '@waypost/resilience';
import type { CachedReadiness, HealthCheck, Logger } from '@waypost/telemetry';
import type { TurnsByName } from './limits.ts';
import type { ApiCounts } from './metrics.ts';
import type { Webhooking } from './use-cases/webhooks.ts';

/** Everything that link-api may use. */
export interface LinkApiDeps {
  readonly accounts: Accounts;
  readonly deletions: AccountDeletions;
  readonly keys: ApiKeys;
  readonly sessions: Sessions;
  readonly attempts: SignInAttempts;
  readonly audit: AuditLog;
  readonly cases: Cases;
  readonly passkeys: Passkeys;
  readonly personalData: PersonalData;
  readonly ceremonies: Ceremonies;
  readonly identities: Identities;
  /** Undefined: no provider is configured. */
  readonly byProvider: ConfiguredProvider | undefined;
  readonly links: LinkStore;
  readonly imports: LinkImports;
  readonly idempotency: IdempotencyStore;
  readonly outbox: Outbox;
  readonly webhooks: Webhooks;
  readonly webhookQueue: WebhookQueue;
  readonly sendWebhook: SendWebhook;
  /** Allowed receivers. */
  readonly webhookPolicy: UrlPolicy;
  /** Messages that this process sends to webhooks at once. */
  readonly webhookConcurrency: number;
  readonly cache: Pick<LinkCache, 'announce' | 'put' | 'replace'>;
  readonly scanner: UrlScanner;
  readonly feeds: ThreatFeeds;
  readonly stats: ClickStats;
  readonly clicks: ClickPurge;
  readonly bus: Bus;
  readonly urlPolicy: UrlPolicy;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Without a trailing slash. */
  readonly redirectBaseUrl: string;
  /** Whose word for the client's address counts. */
  readonly trustedProxies: TrustedProxies;
  readonly health: Readonly<Record<string, HealthCheck>>;
  readonly logger: Logger;
  readonly now: () => Date;
  /** A cryptographic source. */
  readonly randomBytes: (size: number) => Uint8Array;
  readonly onLateError: (error: unknown) => void;
  /** Of the built dashboard; undefined where it was not built. */
  readonly dashboardDir: string | undefined;
}

/** Everything that an endpoint may use, including what requests share. */
export interface EndpointDeps extends LinkApiDeps {
  readonly counts: ApiCounts;
  readonly turns: TurnsByName;
  readonly webhooking: Webhooking;
  readonly figures: SharedAnswers<ClickFigures>;
  readonly readiness: CachedReadiness;
}
