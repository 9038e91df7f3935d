import type { ClickPlace, ClickRange } from '@waypost/ports';
import type { NotesOf } from '../audit/index.ts';
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
    webhook: Pick<Webhook, 'accountId' | 'url' | 'events' | 'keyId'> &
      Partial<Pick<Webhook, 'scope'>> & { readonly secret: string; readonly at: Date },
    notes: NotesOf<Webhook>,
  ): Promise<Webhook>;
  /**
   * Resolves to undefined if there is no such webhook. A new host gets `secret`, and the earlier one ends at once.
   * `newSecret` tells whether it did. A webhook that is switched on gets later events.
   */
  change(
    accountId: string,
    id: string,
    to: WebhookChange & Pick<Webhook, 'keyId'> & { readonly secret: string; readonly at: Date },
    notes: NotesOf<Webhook>,
  ): Promise<(Webhook & { readonly newSecret: boolean }) | undefined>;
  /** Returns false if there is no such webhook. Attempts in progress still complete; nothing else is sent. */
  delete(accountId: string, id: string, notes: NotesOf<Webhook>): Promise<boolean>;
  /** The earlier secret also signs until `oldUntil`. Resolves to undefined if there is no such webhook. */
  rotate(
    accountId: string,
    id: string,
    to: { readonly secret: string; readonly oldUntil: Date },
    notes: NotesOf<Webhook>,
  ): Promise<Webhook | undefined>;

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

export interface EventMessage extends NewMessage {
  readonly slug: string;
  /** Identifies the event, so that a webhook gets it once even if the bus delivers it twice. */
  readonly eventId: string;
  /** The trace of the event (W3C Trace Context). */
  readonly traceparent: string | undefined;
}

/** A webhook whose account may have clicks that it did not get. Only this process has it until the lease ends. */
export interface DueClicks {
  readonly webhookId: string;
  readonly accountId: string;
  readonly after: ClickPlace;
  /** Unix milliseconds. Earlier visits are not sent. */
  readonly since: number;
  /** The number of webhooks of the account that get clicks. */
  readonly sharers: number;
}

/** Only this process attempts the delivery until the lease ends. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly accountId: string;
  readonly type: WebhookMessageType;
  readonly createdAt: Date;
  readonly message: { readonly body: string } | { readonly clicks: ClickRange };
  /** Undefined for clicks and tests. */
  readonly traceparent: string | undefined;
  readonly url: string;
  /** The newest secret comes first. */
  readonly secrets: readonly string[];
  readonly beganAt: Date;
  /** The number of attempts, including this one. */
  readonly attempts: number;
  readonly failing: boolean;
}

/** Messages of clicks have their own attempts, so that no other message waits for them. */
export type MessageKind = 'clicks' | 'events';

export interface SwitchedOff {
  readonly webhookId: string;
  readonly accountId: string;
  readonly reason: DisabledReason;
}

/** Stores the messages that wait for their receivers. All processes that deliver share it. */
export interface WebhookQueue {
  /**
   * Queues messages for the webhooks of the link's owner and of the installation that were enabled before the event.
   * Returns the number of messages.
   */
  queueLinkEvents(messages: readonly EventMessage[], now: Date): Promise<number>;

  /** Whether an enabled webhook gets clicks. */
  wantsClicks(): Promise<boolean>;
  /** Notes that these accounts may have new clicks. Undefined stands for all accounts. */
  noteClicks(accounts: readonly string[] | undefined, now: Date): Promise<void>;
  /** Claims a webhook for its next message of clicks. One whose last message is pending has to wait. */
  claimClicks(now: Date, leaseUntil: Date): Promise<DueClicks | undefined>;
  /** Makes a message of the clicks up to `to`. Makes none if the webhook was changed or another process made one. */
  queueClicks(due: DueClicks, to: ClickPlace, now: Date, nextAt: Date): Promise<void>;
  /** The account has no more clicks for this webhook, as of the claim. */
  noClicks(due: DueClicks, leaseUntil: Date): Promise<void>;
  /** Switches the webhook off, unless it was changed since the claim. Returns whether it did. */
  tooFarBehind(due: DueClicks, now: Date): Promise<boolean>;

  /**
   * Claims due deliveries of enabled webhooks whose accounts are not suspended: messages of clicks, or all others. A
   * webhook gets at most `perWebhook` of them, a failing one a single one, and an account `perAccount` with those of
   * `attempts`. At most `limit` are claimed in all, at most `failing` for failing webhooks. No other process gets them
   * before `leaseUntil`.
   */
  claim(request: {
    readonly kind: MessageKind;
    readonly now: Date;
    readonly leaseUntil: Date;
    readonly busy: readonly string[];
    readonly attempts: ReadonlyMap<string, number>;
    readonly perWebhook: number;
    readonly perAccount: number;
    readonly limit: number;
    readonly failing: number;
  }): Promise<readonly ClaimedDelivery[]>;
  /** Gives back a claimed delivery that was not attempted. */
  postpone(id: string, until: Date): Promise<void>;
  /** Removes a delivery that has nothing to send. */
  drop(id: string): Promise<void>;
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
   * Looks after the messages of a few webhooks, the next ones by id after `after`. It switches off a webhook with too
   * many pending messages, gives up messages of webhooks that are off, and those that waited a day for a suspended
   * account, forgets messages of deleted webhooks, and keeps the newest of the log. `next` is undefined at the end.
   */
  sweep(
    after: string | undefined,
    now: Date,
  ): Promise<{ readonly off: readonly SwitchedOff[]; readonly next: string | undefined }>;
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
  /** How long the receiver asks us to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** Makes one attempt. Whatever the receiver does, this does not reject. */
export type SendWebhook = (attempt: WebhookAttempt, signal: AbortSignal) => Promise<WebhookAnswer>;
