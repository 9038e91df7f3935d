import {
  DELIVERY_STATES,
  WEBHOOK_EVENTS,
  WEBHOOK_LIMITS,
  WEBHOOK_SCOPES,
  type Webhook,
  type WebhookDelivery,
} from '@waypost/domain';
import Joi from 'joi';
import { countedList, inPath, list, named, nullable, oneOf, text, time, uuid, whole } from '../platform/fields.ts';
import { READS } from '../platform/limits.ts';
import { messageId } from './message-id.ts';

export const ID = '4f0c8f52-2a3c-4a57-8f6e-1d2b3c4d5e6f';
export const MESSAGE = 'msg_0d4f0b7e-6a51-4d0c-9b1f-2f3a4b5c6d7e';
export const ID_MAX = 100;

export const webhookId = inPath(ID_MAX, 'The ID of the webhook.', ID);

export const scopeField = oneOf(WEBHOOK_SCOPES).description(
  'The scope. `account`: events of your links. `installation`: `case.opened`, and `link.flagged` of all links, for administrators only.',
);

export const webhookFields = {
  id: uuid,
  scope: scopeField,
  url: Joi.string().meta({ format: 'uri' }),
  events: list(Joi.string()).description(
    'The events that the webhook receives. New values may be added: accept unknown ones.',
  ),
  enabled: Joi.boolean(),
  disabled_reason: nullable(Joi.string()).description(
    'Why the webhook is disabled, or null. `owner`: you disabled it. `gone`: the receiver returned 410. `failing`: all deliveries failed for days. `backlog`: too many messages were pending. New values may be added: accept unknown ones.',
  ),
  disabled_at: nullable(time),
  failing_since: nullable(time).description(
    'When the deliveries to this URL began to fail. Null if the last attempt succeeded, or there was none.',
  ),
  created_at: time,
  key_id: nullable(uuid).description(
    'The ID of the API key that last set the URL. Null if that was done in the dashboard.',
  ),
};
export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw…';
export const secretField = Joi.string().description('The secret that signs the messages. It is shown only once.');

export const urlField = text
  .meta({ format: 'iri', pattern: '^[Hh][Tt][Tt][Pp][Ss]://' })
  .description(
    'The URL that receives messages: an https URL of a public host, without credentials, at most 2048 bytes. Redirects are not followed.',
  );
export const eventsField = countedList(oneOf(WEBHOOK_EVENTS), (events) =>
  events.length < 1 || events.length > WEBHOOK_EVENTS.length || new Set(events).size < events.length
    ? `must have 1 to ${WEBHOOK_EVENTS.length} different events`
    : undefined,
)
  .meta({ minItems: 1, maxItems: WEBHOOK_EVENTS.length, uniqueItems: true })
  .description('The events to send.');

export const webhookBody = named('WebhookEndpoint', 'A webhook.', webhookFields);

export const deliveryBody = named('WebhookDelivery', 'A delivery of a message to a webhook.', {
  id: Joi.string().description('The `webhook-id` of the message. It is the same for all attempts and replays.'),
  type: Joi.string().description('The event, or `webhook.test`.'),
  state: oneOf(DELIVERY_STATES).description('The state. A `failed` delivery is not retried.'),
  created_at: time,
  attempts: whole.description('The number of attempts since the delivery was created or replayed.'),
  last_attempt_at: nullable(time),
  next_attempt_at: nullable(time).description('When the next attempt is due. Null unless the delivery is pending.'),
  last_status: nullable(whole).description('The status of the last response. Null if there was none.'),
  last_error: nullable(Joi.string()).description('Why the last attempt failed. Null if it did not.'),
  last_answer: nullable(Joi.string()).description(
    `The first ${WEBHOOK_LIMITS.answerBytes} bytes of the last response, as text.`,
  ),
});

export function presentWebhook({ id, scope, url, events, createdAt, keyId, failingSince, disabled }: Webhook) {
  return {
    id,
    scope,
    url,
    events,
    enabled: disabled === null,
    disabled_reason: disabled?.reason ?? null,
    disabled_at: disabled?.at.toISOString() ?? null,
    failing_since: failingSince?.toISOString() ?? null,
    created_at: createdAt.toISOString(),
    key_id: keyId,
  };
}

export function presentDelivery(delivery: WebhookDelivery) {
  return {
    id: messageId(delivery.id),
    type: delivery.type,
    state: delivery.state,
    created_at: delivery.createdAt.toISOString(),
    attempts: delivery.attempts,
    last_attempt_at: delivery.lastAttemptAt?.toISOString() ?? null,
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    last_status: delivery.lastStatus,
    last_error: delivery.lastError,
    last_answer: delivery.lastAnswer,
  };
}

export const WEBHOOK = presentWebhook({
  id: ID,
  accountId: '',
  scope: 'account',
  url: 'https://hooks.example.org/waypost',
  events: ['link.flagged', 'link.clicked'],
  createdAt: new Date('2026-11-21T09:30:00.000Z'),
  keyId: null,
  failingSince: null,
  disabled: null,
});
export const DELIVERY = {
  id: MESSAGE,
  type: 'link.flagged',
  state: 'failed' as const,
  created_at: '2026-11-21T09:30:00.000Z',
  attempts: 16,
  last_attempt_at: '2026-11-22T09:12:00.000Z',
  next_attempt_at: null,
  last_status: 500,
  last_error: 'returned status 500',
  last_answer: 'Internal Server Error',
};
export const PENDING = {
  ...DELIVERY,
  state: 'pending' as const,
  attempts: 0,
  last_attempt_at: null,
  next_attempt_at: '2026-11-21T09:30:00.000Z',
  last_status: null,
  last_error: null,
  last_answer: null,
};

export const noSuch = { 404: 'Your account has no webhook with this ID.' };
export const ONE = {
  scope: 'write',
  params: { webhook: webhookId },
  errors: ['webhook_not_found'],
  means: noSuch,
} as const;
export const READ = { scope: 'read', concurrency: READS } as const;
/** A webhook tells what only `read` may know, also of later links and visits. */
export const CHANGE = { scope: ['read', 'write'] } as const;
