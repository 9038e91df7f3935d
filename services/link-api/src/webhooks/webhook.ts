import { type CheckedDestination, checkDestinationUrl, LIMITS, type LinkEvent, type UrlPolicy } from '@waypost/domain';
import type { StoredClick } from '@waypost/ports';

const ACCOUNT_EVENTS = [
  'link.created',
  'link.revoked',
  'link.flagged',
  'link.cleared',
  'link.clicked',
] as const satisfies readonly (LinkEvent['type'] | 'link.clicked')[];
export const WEBHOOK_EVENTS = [...ACCOUNT_EVENTS, 'case.opened'] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** `installation`: events about the links of all accounts, for an administrator. */
export const WEBHOOK_SCOPES = ['account', 'installation'] as const;
export type WebhookScope = (typeof WEBHOOK_SCOPES)[number];
export const EVENTS_OF: Readonly<Record<WebhookScope, readonly WebhookEvent[]>> = {
  account: ACCOUNT_EVENTS,
  installation: ['case.opened', 'link.flagged'],
};
/** `webhook.test` is sent only on request, whatever events the webhook subscribed to. */
export type WebhookMessageType = WebhookEvent | 'webhook.test';

export const WEBHOOK_LIMITS = {
  perAccount: LIMITS.webhooksPerAccount,
  /** The limit of one attempt, from the DNS look-up to the end of the answer. */
  timeoutMs: 10_000,
  answerBytes: 1024,
  clicksPerMessage: 1_000,
  /** An account gets one message of clicks in this time, over all its webhooks in turn. */
  clicksEveryMs: 1_000,
  /** A webhook with more clicks ahead of it is switched off. Each of its messages would cost a longer search. */
  clicksBehind: 500_000,
  /** After a rotation, both secrets sign messages for this time. */
  oldSecretMs: 24 * 3_600_000,
  triedMs: 24 * 3_600_000,
  /** The log keeps finished messages for this time, and of each webhook only the newest: messages of clicks, others. */
  logMs: 30 * 86_400_000,
  logMessages: 2_000,
  backlogMessages: 20_000,
  backlogBytes: 16 * 1024 * 1024,
  /** A webhook is switched off if it gives up a message and its receiver accepted nothing for this time. */
  failingMs: 3 * 86_400_000,
} as const;

/** The owner switched it off, it answered 410, it failed for days, or too many messages waited. */
export type DisabledReason = 'owner' | 'gone' | 'failing' | 'backlog';

export interface Webhook {
  readonly id: string;
  readonly accountId: string;
  readonly scope: WebhookScope;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly createdAt: Date;
  /** The API key that created it or last changed its URL. Null if the owner did so in the dashboard. */
  readonly keyId: string | null;
  /** No attempt at this URL has succeeded since this time. Null if the last one succeeded or none was made. */
  readonly failingSince: Date | null;
  readonly disabled: { readonly reason: DisabledReason; readonly at: Date } | null;
}

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** A message to one webhook. All attempts and replays of it have the same id. */
export interface WebhookDelivery {
  readonly id: string;
  readonly type: WebhookMessageType;
  readonly state: DeliveryState;
  readonly createdAt: Date;
  readonly attempts: number;
  readonly lastAttemptAt: Date | null;
  readonly nextAttemptAt: Date | null;
  readonly lastStatus: number | null;
  /** Why the last attempt failed, in our own words. */
  readonly lastError: string | null;
  /** The first bytes of the last answer as text. The receiver controls this text. */
  readonly lastAnswer: string | null;
}

/** Allows plain http only for hosts that the operator allowed. */
export function checkWebhookUrl(url: unknown, policy: UrlPolicy): CheckedDestination {
  const checked = checkDestinationUrl(url, policy);
  if (!checked.ok || checked.allowedHost || checked.href.startsWith('https:')) return checked;
  return { ok: false, problem: 'must begin with https://' };
}

export function webhookBody(type: WebhookMessageType, at: string, data: object): string {
  return JSON.stringify({ type, timestamp: at, data });
}

/** An event about a change of a link. Owners do not get reports about their links. */
export type LinkChangeEvent = LinkEvent & { readonly type: Exclude<LinkEvent['type'], 'link.reported'> };

export function isLinkChange(event: LinkEvent): event is LinkChangeEvent {
  return event.type !== 'link.reported';
}

/** A repeated event has the same `version` of the link. A later event has a higher one. */
export function linkEventBody(event: LinkChangeEvent, redirectBaseUrl: string): string {
  const { slug, destination_url, status, threat_type, version } = event;
  return webhookBody(event.type, event.at, {
    slug,
    short_url: `${redirectBaseUrl}/${slug}`,
    destination_url,
    status,
    threat_type,
    version,
  });
}

/** Leaves out everything that identifies a visitor: the store has no address, and no hash goes out. */
export function clicksBody(clicks: readonly StoredClick[], at: Date): string {
  const data = clicks.map(({ id, slug, at, country, device, browser, referrer, isBot }) => ({
    id,
    slug,
    at: new Date(at).toISOString(),
    country,
    device,
    browser,
    referrer: referrer === 'direct' ? null : referrer,
    bot: isBot,
  }));
  return webhookBody('link.clicked', at.toISOString(), { clicks: data });
}

/** Pauses between attempts in milliseconds. With the jitter of libs/resilience, a day has about 15 attempts. */
export const WEBHOOK_BACK_OFF = { first: 10_000, most: 4 * 3_600_000 } as const;

/** A test gets one attempt. Other messages are retried for a day. */
export function isTriedAgain(type: WebhookMessageType, beganAt: Date, next: Date): boolean {
  return type !== 'webhook.test' && next.getTime() - beganAt.getTime() <= WEBHOOK_LIMITS.triedMs;
}
