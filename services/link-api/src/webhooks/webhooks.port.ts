import type {
  DeliveryState,
  NewWebhook,
  Webhook,
  WebhookDelivery,
  WebhookMessageType,
  WebhookRecord,
} from '@waypost/domain';
import type { ClickPlace, ClickRange } from '@waypost/ports';
import type { NotesOf } from '../audit/index.ts';

export interface WebhookUpdate {
  readonly from: WebhookRecord;
  readonly to: WebhookRecord;
}

/** Stores webhooks. Every method treats a webhook of another account as missing. All ids are UUIDs. */
export interface Webhooks {
  list(accountId: string): Promise<readonly Webhook[]>;
  find(accountId: string, id: string): Promise<Webhook | undefined>;
  /** Throws `too_many_webhooks`. No concurrent call exceeds the limit. */
  create(webhook: NewWebhook & { readonly at: Date }, notes: NotesOf<Webhook>): Promise<Webhook>;
  /**
   * Calls `change` with the webhook under its lock, and stores the result in the same transaction. Resolves to undefined
   * if there is no such webhook.
   */
  update(
    accountId: string,
    id: string,
    change: (current: WebhookRecord) => WebhookRecord,
    notes: NotesOf<Webhook>,
  ): Promise<WebhookUpdate | undefined>;
  /** Returns false if there is no such webhook. Attempts in progress still complete; nothing else is sent. */
  delete(accountId: string, id: string, notes: NotesOf<Webhook>): Promise<boolean>;

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
  /** Switches the webhook off, unless it was changed since the claim. Resolves to the webhook if it did. */
  tooFarBehind(due: DueClicks, now: Date): Promise<Webhook | undefined>;

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
   * Records the outcome of an attempt and what it changes of the webhook, in one transaction. `change` may be called
   * twice, the second time under a lock. Resolves to the webhook if it changed. If the delivery is no longer pending,
   * nothing changes.
   */
  record(
    deliveryId: string,
    outcome: AttemptOutcome,
    change: (webhook: WebhookRecord) => WebhookRecord | undefined,
  ): Promise<WebhookUpdate | undefined>;

  /**
   * Looks after the messages of a few webhooks, the next ones by id after `after`. It switches off a webhook with too
   * many pending messages, gives up messages of webhooks that are off, and those that waited a day for a suspended
   * account, forgets messages of deleted webhooks, and keeps the newest of the log. `next` is undefined at the end.
   */
  sweep(
    after: string | undefined,
    now: Date,
  ): Promise<{ readonly off: readonly Webhook[]; readonly next: string | undefined }>;
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
