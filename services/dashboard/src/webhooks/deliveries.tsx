import { useState } from 'react';
import { once, type WebhookDelivery, type WebhookEndpoint, waypost } from '../api.ts';
import { Badge, Button, ErrorNote, Foreign, InfiniteList, Segments, Table } from '../components/index.ts';
import { orNone } from '../hooks/url-state.ts';
import { useAction } from '../hooks/use-action.ts';
import { asMoment } from '../language.ts';
import { fill, words } from '../words.ts';

const t = words.webhooks;

const STATES = ['', 'pending', 'delivered', 'failed'] as const;
const LOOKS = { pending: 'flagged', delivered: 'active', failed: 'revoked' } as const;
/** The list is read again after this time while a message is about to be sent. */
const AGAIN_MS = 2_000;

export function Deliveries({ webhook, onReplayed }: { webhook: WebhookEndpoint; onReplayed: () => void }) {
  const [state, setState] = useState<(typeof STATES)[number]>('');
  const replay = useAction({
    mutationFn: (delivery: string) => once.replayDelivery(webhook.id, delivery),
    onSuccess: onReplayed,
  });
  return (
    <section>
      <div className="chead">
        <h2>{t.deliveries}</h2>
        <Segments
          label={words.links.status}
          options={STATES.map((each) => [each, each === '' ? words.links.all : t.states[each]])}
          value={state}
          onChange={setState}
        />
      </div>
      <ErrorNote error={replay.error} isAction />
      <div className="card">
        <InfiniteList
          queryKey={['deliveries', webhook.id, state]}
          read={(before, signal) => waypost.listDeliveries(webhook.id, { before, state: orNone(state) }, { signal })}
          refetchAfter={(deliveries) => deliveries.some(isDue) && AGAIN_MS}
          empty={state === '' ? t.noDeliveries : words.links.nothing}
        >
          {(deliveries) => (
            <Table
              caption={t.deliveries}
              heads={[[t.message, 'w-event'], [words.links.status, 'w-state'], [t.result]]}
              actions="c-act"
            >
              {deliveries.map((delivery) => (
                <Delivery
                  key={delivery.id}
                  delivery={delivery}
                  isDisabled={replay.isPending}
                  onReplay={
                    webhook.enabled && delivery.state !== 'pending' ? () => replay.mutate(delivery.id) : undefined
                  }
                />
              ))}
            </Table>
          )}
        </InfiniteList>
      </div>
    </section>
  );
}

/** During an attempt, the API gives a time 30 seconds ahead as the next attempt, so this must be longer. */
const SOON_MS = 40_000;
const isDue = ({ next_attempt_at: at }: WebhookDelivery) => at !== null && Date.parse(at) < Date.now() + SOON_MS;

interface DeliveryProps {
  readonly delivery: WebhookDelivery;
  readonly isDisabled: boolean;
  readonly onReplay: (() => void) | undefined;
}

function Delivery({ delivery, isDisabled, onReplay }: DeliveryProps) {
  const { type, state, attempts, last_status: status, last_error: error, last_answer: answer } = delivery;
  return (
    <tr>
      <td className="w-event">
        <b className="foreign">{type}</b>
        <time className="hint below" dateTime={delivery.created_at}>
          {asMoment(delivery.created_at)}
        </time>
      </td>
      <td className="w-state">
        <Badge status={LOOKS[state]}>{t.states[state]}</Badge>
        <span className="hint below">{fill(t.attempts, { count: attempts })}</span>
      </td>
      <td>
        {status !== null && <span>{fill(t.answered, { status })}</span>}
        {error !== null && error !== `answered ${status}` && (
          <Foreign variant="hint below" lang="en">
            {error}
          </Foreign>
        )}
        {delivery.next_attempt_at !== null && attempts > 0 && (
          <span className="hint below">{fill(t.next, { at: asMoment(delivery.next_attempt_at) })}</span>
        )}
        {answer !== null && answer !== '' && (
          <details className="answer">
            <summary>{t.answer}</summary>
            <Foreign>{answer}</Foreign>
          </details>
        )}
      </td>
      <td className="c-act">
        {onReplay !== undefined && (
          <Button
            variant="quiet"
            label={fill(t.replayFor, { type, at: asMoment(delivery.created_at) })}
            isDisabled={isDisabled}
            onClick={onReplay}
          >
            {t.replay}
          </Button>
        )}
      </td>
    </tr>
  );
}
