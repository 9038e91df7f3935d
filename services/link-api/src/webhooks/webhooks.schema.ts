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
import { messageId } from './message-id.ts';

export const ID = '4f0c8f52-2a3c-4a57-8f6e-1d2b3c4d5e6f';
export const MESSAGE = 'msg_0d4f0b7e-6a51-4d0c-9b1f-2f3a4b5c6d7e';
export const ID_MAX = 100;

export const webhookId = inPath(ID_MAX, 'The id of a webhook of yours.', ID);

export const scopeField = oneOf(WEBHOOK_SCOPES).description(
  '`account`: events of your links. `installation`, for administrators: `case.opened`, and `link.flagged` of all links.',
);

export const webhookFields = {
  id: uuid,
  scope: scopeField,
  url: Joi.string().meta({ format: 'uri' }),
  events: list(Joi.string()).description('What it is sent. Accept values that you do not know.'),
  enabled: Joi.boolean(),
  disabled_reason: nullable(Joi.string()).description(
    'Null while it is enabled. `owner`: by you. `gone`: it answered 410. `failing`: it took nothing for days. `backlog`: too much waited for it. Accept values that you do not know.',
  ),
  disabled_at: nullable(time),
  failing_since: nullable(time).description(
    'Since when no attempt at this URL succeeded; null if the last one did, or there was none.',
  ),
  created_at: time,
  key_id: nullable(uuid).description(
    'The API key that made it or last set its address; null if that was done in the dashboard.',
  ),
};
export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw…';
export const secretField = Joi.string().description('Signs the messages. Shown this once.');

export const urlField = text
  .meta({ format: 'iri', pattern: '^[Hh][Tt][Tt][Pp][Ss]://' })
  .description(
    'Where to: an https URL of a public host, at most 2048 bytes, without credentials. Redirects are not followed.',
  );
export const eventsField = countedList(oneOf(WEBHOOK_EVENTS), (events) =>
  events.length < 1 || events.length > WEBHOOK_EVENTS.length || new Set(events).size < events.length
    ? `must hold 1 to ${WEBHOOK_EVENTS.length} different events`
    : undefined,
)
  .meta({ minItems: 1, maxItems: WEBHOOK_EVENTS.length, uniqueItems: true })
  .description('What to send.');

export const webhookBody = named('WebhookEndpoint', 'A receiver of events.', webhookFields);

export const deliveryBody = named('WebhookDelivery', 'A message to a webhook, and what became of it.', {
  id: Joi.string().description('Its `webhook-id`: the same over all attempts and replays.'),
  type: Joi.string().description('The event, or `webhook.test`.'),
  state: oneOf(DELIVERY_STATES).description('A `failed` one is not tried any more.'),
  created_at: time,
  attempts: whole.description('Since it was made, or replayed.'),
  last_attempt_at: nullable(time),
  next_attempt_at: nullable(time).description('Null unless it is pending.'),
  last_status: nullable(whole).description('What the receiver answered last; null if it did not.'),
  last_error: nullable(Joi.string()).description('Why the last attempt failed.'),
  last_answer: nullable(Joi.string()).description(
    `The first ${WEBHOOK_LIMITS.answerBytes} bytes of the last answer, as text.`,
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
  last_error: 'answered 500',
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

export const noSuch = { 404: 'There is no such webhook of yours.' };
export const ONE = {
  scope: 'write',
  params: { webhook: webhookId },
  errors: ['webhook_not_found'],
  means: noSuch,
} as const;
export const READ = { scope: 'read', share: 'reads' } as const;
/** A webhook tells what only `read` may know, also of later links and visits. */
export const CHANGE = { scope: ['read', 'write'] } as const;
