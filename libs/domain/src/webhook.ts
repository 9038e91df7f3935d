/** Webhooks: what is sent to whom, and for how long it is tried (docs/webhooks.md). */
import { type CheckedDestination, checkDestinationUrl, type UrlPolicy } from './destination-url.ts';
import type { ClickEvent, LinkEvent } from './topics.ts';

export const WEBHOOK_EVENTS = [
  'link.created',
  'link.revoked',
  'link.flagged',
  'link.cleared',
  'link.clicked',
] as const satisfies readonly (LinkEvent['type'] | 'link.clicked')[];
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];
/** `webhook.test` comes when it is asked for, whatever the webhook subscribed to. */
export type WebhookMessageType = WebhookEvent | 'webhook.test';

export const WEBHOOK_LIMITS = {
  perAccount: 10,
  /** Of one attempt, from the look-up of the name to the end of the answer. */
  timeoutMs: 10_000,
  /** What is read and stored of an answer. */
  answerBytes: 1024,
  clicksPerMessage: 1000,
  clicksEveryMs: 5_000,
  /** Both secrets sign for so long after a rotation. */
  oldSecretMs: 24 * 3_600_000,
  /** A message is tried for so long. */
  triedMs: 24 * 3_600_000,
  /** A message that is delivered or given up stays in the log for so long; one of clicks, which is large, less long. */
  logMs: 30 * 86_400_000,
  clicksLogMs: 2 * 86_400_000,
  /** What may wait for one receiver. */
  backlogMessages: 50_000,
  backlogBytes: 64 * 1024 * 1024,
  /** A receiver that took nothing for so long is switched off when a message is given up. */
  failingMs: 3 * 86_400_000,
} as const;

/** By its owner, because it answered 410, because it took nothing for days, or because too much waited for it. */
export type DisabledReason = 'owner' | 'gone' | 'failing' | 'backlog';

export interface Webhook {
  readonly id: string;
  readonly accountId: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly createdAt: Date;
  /** Since when no attempt at this URL succeeded; null if the last one did, or there was none. */
  readonly failingSince: Date | null;
  /** Null while it is enabled. */
  readonly disabled: { readonly reason: DisabledReason; readonly at: Date } | null;
}

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** A message to one webhook: it keeps its id over all attempts and replays. */
export interface WebhookDelivery {
  readonly id: string;
  readonly type: WebhookMessageType;
  readonly state: DeliveryState;
  readonly createdAt: Date;
  readonly attempts: number;
  readonly lastAttemptAt: Date | null;
  /** Null unless it is pending. */
  readonly nextAttemptAt: Date | null;
  /** Null if there was no answer. */
  readonly lastStatus: number | null;
  /** In our words, why the last attempt failed. */
  readonly lastError: string | null;
  /** The first bytes of the last answer, as text; hostile. */
  readonly lastAnswer: string | null;
}

/** Plain http only where the operator allowed the host. */
export function checkWebhookUrl(url: unknown, policy: UrlPolicy): CheckedDestination {
  const checked = checkDestinationUrl(url, policy);
  if (!checked.ok || checked.allowedHost || checked.href.startsWith('https:')) return checked;
  return { ok: false, problem: 'must begin with https://' };
}

/** The body of a message, as the specification recommends it. */
export function webhookBody(type: WebhookMessageType, at: string, data: object): string {
  return JSON.stringify({ type, timestamp: at, data });
}

/** A change of a link; a report is none, and not the owner's to know. */
export type LinkChangeEvent = LinkEvent & { readonly type: Exclude<LinkEvent['type'], 'link.reported'> };

export function isLinkChange(event: LinkEvent): event is LinkChangeEvent {
  return event.type !== 'link.reported';
}

/** The same link has the same `version` in an event that comes twice, and a higher one in a later event. */
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

/** A click, with nothing that tells visitors apart: no address, no hash of one. */
export function clickData({ id, slug, at, country, user_agent, referrer }: ClickEvent): string {
  return JSON.stringify({
    id,
    slug,
    at: new Date(at).toISOString(),
    country,
    user_agent,
    referrer: referrer === '' ? null : referrer,
  });
}

/** Pauses between attempts: with the jitter of libs/resilience some 15 attempts in a day. */
export const WEBHOOK_BACK_OFF = { first: 10_000, most: 4 * 3_600_000 } as const;

/** A test is tried once, everything else for a day. */
export function isTriedAgain(type: WebhookMessageType, beganAt: Date, next: Date): boolean {
  return type !== 'webhook.test' && next.getTime() - beganAt.getTime() <= WEBHOOK_LIMITS.triedMs;
}
