/** When a webhook fails, is switched off and gets clicks: docs/webhooks.md. */
import { type CheckedDestination, checkDestinationUrl, type UrlPolicy } from './destination-url.ts';
import { LIMITS } from './limits.ts';
import type { LinkEvent } from './topics.ts';

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
  const check = checkDestinationUrl(url, policy);
  if (!check.ok || check.allowedHost || check.href.startsWith('https:')) return check;
  return { ok: false, problem: 'must begin with https://' };
}

/** Pauses between attempts in milliseconds. With the jitter of libs/resilience, a day has about 15 attempts. */
export const WEBHOOK_BACK_OFF = { first: 10_000, most: 4 * 3_600_000 } as const;

/** A test gets one attempt. Other messages are retried for a day. */
export function isTriedAgain(type: WebhookMessageType, beganAt: Date, next: Date): boolean {
  return type !== 'webhook.test' && next.getTime() - beganAt.getTime() <= WEBHOOK_LIMITS.triedMs;
}

/** A webhook with what its owner does not read. */
export interface WebhookRecord extends Webhook {
  readonly secret: string;
  /** After a rotation, this secret also signs until `oldSecretUntil`. */
  readonly oldSecret: string | null;
  readonly oldSecretUntil: Date | null;
  /** It gets no events from before this time. */
  readonly enabledSince: Date;
  /** It gets no visits from before this time. */
  readonly clicksSince: Date;
  /** The last click in its messages: Unix seconds of the click store, and the id of the click. */
  readonly clicksAfterAt: number;
  readonly clicksAfterId: string;
  /** The click store is asked for more clicks at this time. Null if there are none. */
  readonly clicksDueAt: Date | null;
}

const NO_CLICK = '00000000-0000-0000-0000-000000000000';
/** The clock of the click store may be this much behind. Earlier visits are left out by their own time. */
const CLOCKS_DIFFER_SECONDS = 60;

export type NewWebhook = Pick<Webhook, 'accountId' | 'scope' | 'url' | 'events' | 'keyId'> & {
  readonly secret: string;
};

export function newWebhook(from: NewWebhook, at: Date): Omit<WebhookRecord, 'id'> {
  const webhook = {
    ...from,
    createdAt: at,
    oldSecret: null,
    oldSecretUntil: null,
    enabledSince: at,
    failingSince: null,
    disabled: null,
  };
  return clicksFrom({ ...webhook, clicksAfterAt: 0, clicksAfterId: NO_CLICK }, at);
}

/** The webhook gets no click from before `at`. Its place never goes back. */
export function clicksFrom<W extends Pick<WebhookRecord, 'clicksAfterAt' | 'clicksAfterId'>>(webhook: W, at: Date) {
  const place = Math.round(at.getTime() / 1000) - CLOCKS_DIFFER_SECONDS;
  const after = place > webhook.clicksAfterAt ? { clicksAfterAt: place, clicksAfterId: NO_CLICK } : {};
  return { ...webhook, ...after, clicksSince: at, clicksDueAt: at };
}

export interface WebhookChange extends Pick<Webhook, 'url' | 'events'> {
  readonly enabled: boolean;
}

/** Another host gets `secret`, and the earlier secrets end at once. Failures at another URL do not count. */
export function changedWebhook(
  current: WebhookRecord,
  { url, events, enabled, keyId, secret }: WebhookChange & Pick<WebhookRecord, 'keyId' | 'secret'>,
  at: Date,
): WebhookRecord {
  const moved = url !== current.url;
  const switchedOn = enabled && current.disabled !== null;
  const next: WebhookRecord = {
    ...current,
    url,
    events,
    ...(moved && { keyId, failingSince: null }),
    ...(new URL(url).host !== new URL(current.url).host && { secret, oldSecret: null, oldSecretUntil: null }),
    ...(switchedOn && { failingSince: null, enabledSince: at }),
    disabled: enabled ? null : (current.disabled ?? { reason: 'owner', at }),
  };
  const clicksBegin = enabled && (switchedOn || !current.events.includes('link.clicked'));
  return clicksBegin ? clicksFrom(next, at) : next;
}

/** The earlier secret signs, too, for a day. */
export function rotatedWebhook(current: WebhookRecord, secret: string, at: Date): WebhookRecord {
  const oldSecretUntil = new Date(at.getTime() + WEBHOOK_LIMITS.oldSecretMs);
  return { ...current, secret, oldSecret: current.secret, oldSecretUntil };
}

export interface WebhookOutcome {
  readonly url: string;
  readonly startedAt: Date;
  readonly endedAt: Date;
  /** `gone`: the receiver answered 410. `given_up`: the message failed for as long as messages are tried. */
  readonly result: 'delivered' | 'failed' | 'given_up' | 'gone';
}

/**
 * Returns undefined if the attempt changes nothing, as one at an earlier URL or from before the webhook was switched
 * on. A webhook is switched off by `gone`, and by `given_up` after days of failures alone.
 */
export function attempted(
  current: WebhookRecord,
  { url, startedAt, endedAt, result }: WebhookOutcome,
): WebhookRecord | undefined {
  if (url !== current.url || startedAt < current.enabledSince) return undefined;
  const failingSince = result === 'delivered' ? null : (current.failingSince ?? endedAt);
  const failedMs = failingSince === null ? 0 : endedAt.getTime() - failingSince.getTime();
  const tooLong = result === 'given_up' && failedMs >= WEBHOOK_LIMITS.failingMs;
  if (current.disabled === null && (result === 'gone' || tooLong))
    return { ...switchedOff(current, result === 'gone' ? 'gone' : 'failing', endedAt), failingSince };
  return (failingSince === null) === (current.failingSince === null) ? undefined : { ...current, failingSince };
}

export function switchedOff(current: WebhookRecord, reason: DisabledReason, at: Date): WebhookRecord {
  return { ...current, disabled: { reason, at }, clicksDueAt: null };
}

/** More messages would cost too much when the receiver is back. */
export function isCrowded({ messages, bytes }: { readonly messages: number; readonly bytes: number }): boolean {
  return messages > WEBHOOK_LIMITS.backlogMessages || bytes > WEBHOOK_LIMITS.backlogBytes;
}
