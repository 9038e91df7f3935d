import type { DeliveryState, DisabledReason, Webhook, WebhookDelivery, WebhookMessageType } from '@waypost/domain';

/** What its owner chooses. */
export interface WebhookChange extends Pick<Webhook, 'url' | 'events'> {
  readonly enabled: boolean;
}

/** What an account does with its webhooks. Those of another account look as if they did not exist. All ids are UUIDs. */
export interface Webhooks {
  /** The oldest first. */
  list(accountId: string): Promise<readonly Webhook[]>;
  find(accountId: string, id: string): Promise<Webhook | undefined>;
  /** Throws `too_many_webhooks`, exact under concurrency. */
  create(
    webhook: Pick<Webhook, 'accountId' | 'url' | 'events'> & { readonly secret: string; readonly at: Date },
  ): Promise<Webhook>;
  /** Undefined if there is no such webhook. What waits for one that is enabled again goes on. */
  change(accountId: string, id: string, to: WebhookChange & { readonly at: Date }): Promise<Webhook | undefined>;
  /** False if there is no such webhook. Nothing more is sent to it, but for attempts that have begun. */
  delete(accountId: string, id: string): Promise<boolean>;
  /** The earlier secret signs as well until `oldUntil`. Undefined if there is no such webhook. */
  rotate(accountId: string, id: string, secret: string, oldUntil: Date): Promise<Webhook | undefined>;

  /** The newest first, at most `limit`, from before the delivery of the id `before`. */
  deliveries(
    webhookId: string,
    query: { readonly state: DeliveryState | undefined; readonly before: string | undefined; readonly limit: number },
  ): Promise<readonly WebhookDelivery[]>;
  delivery(webhookId: string, id: string): Promise<WebhookDelivery | undefined>;
  /** A message that no event made. */
  queue(webhookId: string, message: NewMessage): Promise<WebhookDelivery>;
  /** Makes one that is not pending pending again, with its id. Undefined if there is none. */
  replay(webhookId: string, id: string, at: Date): Promise<WebhookDelivery | undefined>;
}

export interface NewMessage {
  readonly type: WebhookMessageType;
  readonly body: string;
  readonly at: Date;
}

export interface LinkMessage extends NewMessage {
  readonly slug: string;
  /** Of the event: a webhook gets it once, however often the bus brings it. */
  readonly eventId: string;
}

/** Who is told of the clicks of a slug. */
export interface ClickReceiver {
  readonly webhookId: string;
  readonly slug: string;
  /** Earlier clicks are not for it. */
  readonly since: Date;
}

/** Some clicks of one webhook, which wait for their message. */
export interface WaitingClicks {
  readonly webhookId: string;
  readonly count: number;
  /** JSON objects, separated by commas. */
  readonly clicks: string;
}

/** A delivery that this process alone attempts, until its lease ends. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly accountId: string;
  readonly type: WebhookMessageType;
  readonly body: string;
  readonly url: string;
  /** The newest first. */
  readonly secrets: readonly string[];
  readonly beganAt: Date;
  /** This one included. */
  readonly attempts: number;
  readonly failing: boolean;
}

export interface SwitchedOff {
  readonly webhookId: string;
  readonly accountId: string;
  readonly reason: DisabledReason;
}

/** The messages that wait for their receivers, for all processes that deliver. */
export interface WebhookQueue {
  /** For the webhooks of the links' owners that were enabled before the event. Returns how many messages it queued. */
  queueLinkEvents(messages: readonly LinkMessage[], now: Date): Promise<number>;

  /** Since when enabled webhooks want clicks; undefined if none does. */
  clicksWantedSince(): Promise<Date | undefined>;
  clickReceivers(slugs: readonly string[]): Promise<readonly ClickReceiver[]>;
  keepClicks(clicks: readonly WaitingClicks[]): Promise<void>;
  /** Makes one message for each webhook whose clicks are due. Returns how many it made. */
  bundleClicks(now: Date): Promise<number>;

  /**
   * Due deliveries of enabled webhooks of accounts that are not suspended, at most `perWebhook` of each (1 of one that
   * fails), at most `limit` in all and `failing` of webhooks that fail. No other process gets them before `leaseUntil`.
   */
  claim(asked: {
    readonly now: Date;
    readonly leaseUntil: Date;
    /** Webhooks that get nothing now. */
    readonly busy: readonly string[];
    readonly perWebhook: number;
    readonly limit: number;
    readonly failing: number;
  }): Promise<readonly ClaimedDelivery[]>;
  /**
   * The outcome of an attempt of the delivery `id`. Changes nothing if that is not pending any more. The webhook's
   * `failingSince` stays as it is if the webhook has another URL by now or was switched on after the attempt began.
   */
  record(
    attempt: { readonly id: string; readonly url: string; readonly startedAt: Date },
    outcome: AttemptOutcome,
  ): Promise<void>;
  /**
   * For what an attempt was answered. Whether this call switched the webhook off: not if it was off already, has another
   * URL by now, was switched on after the attempt began, or took a message after `failingBefore`.
   */
  switchOff(
    attempt: { readonly webhookId: string; readonly url: string; readonly startedAt: Date },
    reason: DisabledReason,
    at: Date,
    failingBefore?: Date,
  ): Promise<boolean>;

  /**
   * Switches off the webhooks for which too much waits. Gives up what waits for webhooks that are off or deleted, or
   * has waited a day for an account that is suspended.
   */
  sweep(now: Date): Promise<readonly SwitchedOff[]>;
  /** Drops the log that has run out. */
  forget(now: Date): Promise<void>;
  backlog(): Promise<{ readonly pending: number; readonly oldestMs: number }>;
}

export interface AttemptOutcome {
  readonly at: Date;
  readonly state: DeliveryState;
  /** Of a pending one. */
  readonly nextAttemptAt: Date | null;
  readonly status: number | null;
  readonly error: string | null;
  readonly answer: string | null;
  /** When the log forgets it; null while it is pending. */
  readonly expiresAt: Date | null;
}

export interface WebhookAttempt {
  readonly url: string;
  /** `webhook-id`. */
  readonly id: string;
  readonly body: string;
  /** Each of them signs. */
  readonly secrets: readonly string[];
  readonly at: Date;
}

export interface WebhookAnswer {
  /** Null if there was no answer. */
  readonly status: number | null;
  /** Its first bytes. */
  readonly answer: string | null;
  /** In our words; null if there was an answer. */
  readonly error: string | null;
}

/** One attempt. Never rejects for what a receiver does. */
export type SendWebhook = (attempt: WebhookAttempt, signal: AbortSignal) => Promise<WebhookAnswer>;
