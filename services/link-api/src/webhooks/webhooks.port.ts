import type { DeliveryState, DisabledReason, Webhook, WebhookDelivery, WebhookMessageType } from './webhook.ts';

export interface WebhookChange extends Pick<Webhook, 'url' | 'events'> {
  readonly enabled: boolean;
}

/** Stores webhooks. Every method treats a webhook of another account as missing. All ids are UUIDs. */
export interface Webhooks {
  list(accountId: string): Promise<readonly Webhook[]>;
  find(accountId: string, id: string): Promise<Webhook | undefined>;
  /** Throws `too_many_webhooks`. No concurrent call exceeds the limit. */
  create(
    webhook: Pick<Webhook, 'accountId' | 'url' | 'events'> & { readonly secret: string; readonly at: Date },
  ): Promise<Webhook>;
  /** Resolves to undefined if there is no such webhook. An enabled webhook gets its waiting messages again. */
  change(accountId: string, id: string, to: WebhookChange & { readonly at: Date }): Promise<Webhook | undefined>;
  /** Returns false if there is no such webhook. Attempts in progress still complete; nothing else is sent. */
  delete(accountId: string, id: string): Promise<boolean>;
  /** The earlier secret also signs until `oldUntil`. Resolves to undefined if there is no such webhook. */
  rotate(accountId: string, id: string, secret: string, oldUntil: Date): Promise<Webhook | undefined>;

  /** Returns at most `limit` deliveries, newest first. With `before`, only those older than that delivery. */
  deliveries(
    webhookId: string,
    query: { readonly state: DeliveryState | undefined; readonly before: string | undefined; readonly limit: number },
  ): Promise<readonly WebhookDelivery[]>;
  delivery(webhookId: string, id: string): Promise<WebhookDelivery | undefined>;
  queue(webhookId: string, message: NewMessage): Promise<WebhookDelivery>;
  /** Makes a finished delivery pending again, with the same id. Resolves to undefined if there is none. */
  replay(webhookId: string, id: string, at: Date): Promise<WebhookDelivery | undefined>;
}

export interface NewMessage {
  readonly type: WebhookMessageType;
  readonly body: string;
  readonly at: Date;
}

export interface LinkMessage extends NewMessage {
  readonly slug: string;
  /** Identifies the event, so that a webhook gets it once even if the bus delivers it twice. */
  readonly eventId: string;
}

export interface ClickReceiver {
  readonly webhookId: string;
  readonly slug: string;
  readonly since: Date;
}

export interface WaitingClicks {
  readonly webhookId: string;
  readonly count: number;
  /** JSON objects, separated by commas. */
  readonly clicks: string;
}

/** Only this process attempts the delivery until the lease ends. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly accountId: string;
  readonly type: WebhookMessageType;
  readonly body: string;
  readonly url: string;
  /** The newest secret comes first. */
  readonly secrets: readonly string[];
  readonly beganAt: Date;
  /** The number of attempts, including this one. */
  readonly attempts: number;
  readonly failing: boolean;
}

export interface SwitchedOff {
  readonly webhookId: string;
  readonly accountId: string;
  readonly reason: DisabledReason;
}

/** Stores the messages that wait for their receivers. All processes that deliver share it. */
export interface WebhookQueue {
  /** Queues messages for webhooks that were enabled before the event. Returns the number of messages. */
  queueLinkEvents(messages: readonly LinkMessage[], now: Date): Promise<number>;

  /** Returns the time from which enabled webhooks want clicks. Undefined if none wants clicks. */
  clicksWantedSince(): Promise<Date | undefined>;
  clickReceivers(slugs: readonly string[]): Promise<readonly ClickReceiver[]>;
  keepClicks(clicks: readonly WaitingClicks[]): Promise<void>;
  /** Makes one message for each webhook whose clicks are due. Returns the number of messages. */
  bundleClicks(now: Date): Promise<number>;

  /**
   * Claims due deliveries of enabled webhooks whose accounts are not suspended. A webhook gets at most `perWebhook` of
   * them, and a failing webhook one. At most `limit` are claimed in all, and at most `failing` for failing webhooks. No
   * other process gets them before `leaseUntil`.
   */
  claim(request: {
    readonly now: Date;
    readonly leaseUntil: Date;
    readonly busy: readonly string[];
    readonly perWebhook: number;
    readonly limit: number;
    readonly failing: number;
  }): Promise<readonly ClaimedDelivery[]>;
  /**
   * Records the outcome of an attempt. Changes nothing if the delivery is no longer pending. Leaves `failingSince` as
   * it is if the webhook got another URL meanwhile or was switched on after the attempt began.
   */
  record(
    attempt: { readonly id: string; readonly url: string; readonly startedAt: Date },
    outcome: AttemptOutcome,
  ): Promise<void>;
  /**
   * Switches a webhook off because of an attempt. Returns false if it was off already, got another URL meanwhile, or
   * was switched on after the attempt began. Also returns false if it accepted a message after `failingBefore`.
   */
  switchOff(
    attempt: { readonly webhookId: string; readonly url: string; readonly startedAt: Date },
    reason: DisabledReason,
    at: Date,
    failingBefore?: Date,
  ): Promise<boolean>;

  /**
   * Switches off webhooks with too many waiting messages. Gives up messages of webhooks that are off or deleted, and
   * messages that waited a day for a suspended account.
   */
  sweep(now: Date): Promise<readonly SwitchedOff[]>;
  forget(now: Date): Promise<void>;
  backlog(): Promise<{ readonly pending: number; readonly oldestMs: number }>;
}

export interface AttemptOutcome {
  readonly at: Date;
  readonly state: DeliveryState;
  readonly nextAttemptAt: Date | null;
  readonly status: number | null;
  readonly error: string | null;
  readonly answer: string | null;
  /** The time when the log drops the entry. Null while the delivery is pending. */
  readonly expiresAt: Date | null;
}

export interface WebhookAttempt {
  readonly url: string;
  /** The value of the header `webhook-id`. */
  readonly id: string;
  readonly body: string;
  readonly secrets: readonly string[];
  readonly at: Date;
}

export interface WebhookAnswer {
  readonly status: number | null;
  readonly answer: string | null;
  /** Why there was no answer, in our own words. Null if there was an answer. */
  readonly error: string | null;
}

/** Makes one attempt. Whatever the receiver does, this does not reject. */
export type SendWebhook = (attempt: WebhookAttempt, signal: AbortSignal) => Promise<WebhookAnswer>;
