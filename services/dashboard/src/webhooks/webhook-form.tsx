import { useState } from 'react';
import { ApiError, type NewWebhook, type WebhookEndpoint } from '../api.ts';
import {
  Badge,
  Check,
  Field,
  FormDialog,
  type FormDialogProps,
  Problem,
  Segments,
  textIn,
} from '../components/index.ts';
import { asMoment } from '../language.ts';
import { fill, labelOf, words } from '../words.ts';

const t = words.webhooks;

type Scope = WebhookEndpoint['scope'];

const EVENTS = {
  account: ['link.created', 'link.revoked', 'link.flagged', 'link.cleared', 'link.clicked'],
  installation: ['case.opened', 'link.flagged'],
} as const;

export const eventsOf = ({ scope, events }: WebhookEndpoint): NewWebhook['events'] =>
  EVENTS[scope].filter((each) => events.includes(each));

interface WebhookFormProps<T> extends Omit<FormDialogProps<T>, 'fields' | 'send' | 'children'> {
  readonly webhook?: WebhookEndpoint;
  /** Whether the scope can be chosen. Only administrators may, and only for a new webhook. */
  readonly scopes?: boolean;
  readonly send: (webhook: NewWebhook) => Promise<T>;
}

export function WebhookForm<T>({ webhook, scopes = false, send, ...dialog }: WebhookFormProps<T>) {
  const [scope, setScope] = useState<Scope>(webhook?.scope ?? 'account');
  const [events, setEvents] = useState<NewWebhook['events']>(
    webhook === undefined ? EVENTS.account : eventsOf(webhook),
  );
  const all: NewWebhook['events'] = EVENTS[scope];
  return (
    <FormDialog
      {...dialog}
      fields={['url', 'events']}
      send={(form) => send({ url: textIn(form, 'url').trim(), events, ...(scopes && { scope }) })}
    >
      {(error) => (
        <>
          <Field name="url" label={t.url} value={webhook?.url ?? ''} hint={t.urlHint} error={error} autoFocus />
          {scopes && (
            <Segments
              label={t.scope}
              options={(['account', 'installation'] as const).map((each) => [each, t.scopes[each]])}
              value={scope}
              onChange={(next) => {
                setScope(next);
                setEvents(EVENTS[next]);
              }}
            />
          )}
          <fieldset className="field" aria-describedby="events-error">
            <legend className="lbl">{t.events}</legend>
            {all.map((event) => (
              <Check
                key={event}
                label={t.event[event]}
                checked={events.includes(event)}
                onChange={({ currentTarget: { checked } }) =>
                  setEvents(all.filter((each) => (each === event ? checked : events.includes(each))))
                }
              />
            ))}
            <span className="err" id="events-error">
              {error instanceof ApiError && error.details.events !== undefined && (
                <Problem label={t.events} text={String(error.details.events)} />
              )}
            </span>
          </fieldset>
        </>
      )}
    </FormDialog>
  );
}

export function WebhookState({ webhook }: { webhook: WebhookEndpoint }) {
  const { disabled_reason: reason, disabled_at: at, failing_since: since } = webhook;
  const { on, off, failing, reasons } = words.webhooks;
  const look = reason !== null ? 'revoked' : since !== null ? 'flagged' : 'active';
  return (
    <>
      <Badge status={look}>{reason !== null ? off : since !== null ? failing : on}</Badge>
      {reason !== null && <span className="hint below">{labelOf(reasons, reason)}</span>}
      {at !== null && <span className="hint below">{fill(t.offSince, { at: asMoment(at) })}</span>}
      {since !== null && <span className="hint below">{fill(t.failingSince, { at: asMoment(since) })}</span>}
    </>
  );
}
