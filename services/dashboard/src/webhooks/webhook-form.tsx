import { useState } from 'react';
import { ApiError, type NewWebhook, type WebhookEndpoint } from '../api.ts';
import { Badge, Check, Field, FormDialog, type FormDialogProps, Problem, textIn } from '../components/index.ts';
import { asMoment } from '../language.ts';
import { fill, labelOf, words } from '../words.ts';

const t = words.webhooks;

const EVENTS = ['link.created', 'link.revoked', 'link.flagged', 'link.cleared', 'link.clicked'] as const;

export const eventsOf = (webhook: WebhookEndpoint | undefined) =>
  EVENTS.filter((each) => webhook?.events.includes(each) ?? true);

interface WebhookFormProps<T> extends Omit<FormDialogProps<T>, 'fields' | 'send' | 'children'> {
  readonly webhook?: WebhookEndpoint;
  readonly send: (webhook: NewWebhook) => Promise<T>;
}

export function WebhookForm<T>({ webhook, send, ...dialog }: WebhookFormProps<T>) {
  const [events, setEvents] = useState(eventsOf(webhook));
  return (
    <FormDialog
      {...dialog}
      fields={['url', 'events']}
      send={(form) => send({ url: textIn(form, 'url').trim(), events })}
    >
      {(error) => (
        <>
          <Field name="url" label={t.url} value={webhook?.url ?? ''} hint={t.urlHint} error={error} autoFocus />
          <fieldset className="field" aria-describedby="events-error">
            <legend className="lbl">{t.events}</legend>
            {EVENTS.map((event) => (
              <Check
                key={event}
                label={t.event[event]}
                checked={events.includes(event)}
                onChange={({ currentTarget: { checked } }) =>
                  setEvents(EVENTS.filter((each) => (each === event ? checked : events.includes(each))))
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
      <Badge look={look}>{reason !== null ? off : since !== null ? failing : on}</Badge>
      {reason !== null && <span className="hint below">{labelOf(reasons, reason)}</span>}
      {at !== null && <span className="hint below">{fill(t.offSince, { at: asMoment(at) })}</span>}
      {since !== null && <span className="hint below">{fill(t.failingSince, { at: asMoment(since) })}</span>}
    </>
  );
}
