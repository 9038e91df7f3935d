import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useAction } from '../action.ts';
import { once, type RotatedWebhook, type WebhookDelivery, type WebhookEndpoint, waypost } from '../api.ts';
import { ConfirmDialog, ShownOnce } from '../dialogs.tsx';
import { asDay, asMoment } from '../language.ts';
import { isMissing, NotThere } from '../loaded.tsx';
import { Older } from '../older.tsx';
import {
  ActionsHead,
  Badge,
  Button,
  Crumb,
  Destination,
  ErrorNote,
  Foreign,
  Segments,
  Tag,
  Title,
  useSay,
} from '../parts.tsx';
import screens from '../screens.json';
import { fill, words } from '../words.ts';
import { eventsOf, WebhookForm, WebhookState } from './webhook-form.tsx';

export default function WebhookDetail({ id }: { id: string }) {
  const found = useQuery({
    queryKey: ['webhook', id],
    queryFn: ({ signal }) => waypost.getWebhook(id, { signal }),
    // An attempt may begin or end a failure.
    refetchInterval: 5_000,
  });
  if (found.data !== undefined && !isMissing(found.error)) return <Found webhook={found.data} />;
  return (
    <NotThere query={found} missing={words.webhooks.missing}>
      <Link href={screens.webhooks}>{words.webhooks.title}</Link>
    </NotThere>
  );
}

type Open = 'change' | 'rotate' | 'delete' | RotatedWebhook | undefined;

function Found({ webhook }: { webhook: WebhookEndpoint }) {
  const { id, url, enabled } = webhook;
  const queries = useQueryClient();
  const say = useSay();
  const [, go] = useLocation();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const changed = (said: string) => {
    say(said);
    return Promise.all(
      [['webhook', id], ['webhooks'], ['deliveries', id]].map((queryKey) => queries.invalidateQueries({ queryKey })),
    );
  };
  const flip = useAction({
    mutationFn: () => once.changeWebhook(id, { url, events: eventsOf(webhook), enabled: !enabled }),
    onSuccess: (now) => changed(now.enabled ? words.webhooks.switchedOn : words.webhooks.switchedOff),
  });
  const send = useAction({
    mutationFn: () => once.testWebhook(id),
    onSuccess: () => changed(words.webhooks.testSent),
  });
  return (
    <>
      <Crumb href={screens.webhooks} list={words.webhooks.title}>
        {new URL(url).host}
      </Crumb>
      <div className="top">
        <div>
          <div className="h1slug">
            <Title>{new URL(url).host}</Title>
          </div>
          <p className="to">
            <Destination url={url} full />
          </p>
          <p className="meta">
            {webhook.events.map((event) => (
              <Tag key={event}>{event}</Tag>
            ))}
            <span className="hint">{fill(words.link.createdOn, { date: asDay(webhook.created_at) })}</span>
          </p>
          <div className="lead-p">
            <WebhookState webhook={webhook} />
          </div>
        </div>
        <div className="acts">
          <Button isOff={!enabled || send.isPending} onClick={() => send.mutate()}>
            {words.webhooks.test}
          </Button>
          <Button onClick={() => setOpen('change')}>{words.webhooks.change}</Button>
          <Button isOff={flip.isPending} onClick={() => flip.mutate()}>
            {enabled ? words.webhooks.switchOff : words.webhooks.switchOn}
          </Button>
          <Button onClick={() => setOpen('rotate')}>{words.webhooks.rotate}</Button>
          <Button look="danger" onClick={() => setOpen('delete')}>
            {words.keys.delete}
          </Button>
        </div>
      </div>
      <ErrorNote error={send.error ?? flip.error} isAction />
      <Deliveries webhook={webhook} onReplayed={() => changed(words.webhooks.replayed)} />
      {open === 'change' && (
        <WebhookForm
          title={words.webhooks.changeTitle}
          act={words.webhooks.save}
          webhook={webhook}
          send={(change) => once.changeWebhook(id, { ...change, enabled })}
          onSent={() => void changed(words.webhooks.saved)}
          onClose={close}
        />
      )}
      {open === 'rotate' && (
        <ConfirmDialog
          title={words.webhooks.rotateTitle}
          why={words.webhooks.rotateWhy}
          keep={words.webhooks.rotateKeep}
          act={words.webhooks.rotateAct}
          isFinal={false}
          run={() => once.rotateWebhookSecret(id)}
          onDone={setOpen}
          onClose={close}
        />
      )}
      {typeof open === 'object' && (
        <ShownOnce
          title={words.webhooks.once}
          why={fill(words.webhooks.rotatedWhy, { until: asMoment(open.old_secret_until) })}
          secret={open.secret}
          copied={words.webhooks.copied}
          stored={words.webhooks.stored}
          onClose={close}
        />
      )}
      {open === 'delete' && (
        <ConfirmDialog<unknown>
          title={words.webhooks.deleteTitle}
          why={words.webhooks.deleteWhy}
          keep={words.webhooks.keep}
          act={words.webhooks.deleteAct}
          run={() => once.deleteWebhook(id)}
          lookUp={() =>
            once.getWebhook(id).then(
              () => undefined,
              (error: Error) => {
                if (isMissing(error)) return { answer: undefined };
                throw error;
              },
            )
          }
          onDone={() => {
            say(words.webhooks.deleted);
            void queries.invalidateQueries({ queryKey: ['webhooks'] });
            // Stale for whoever comes back, but not asked for on the way out.
            void queries.invalidateQueries({ queryKey: ['webhook', id], refetchType: 'none' });
            go(screens.webhooks);
          }}
          onClose={close}
        />
      )}
    </>
  );
}

const STATES = ['', 'pending', 'delivered', 'failed'] as const;
const LOOKS = { pending: 'flagged', delivered: 'active', failed: 'revoked' } as const;
/** While an attempt is due. */
const AGAIN_MS = 2_000;

function Deliveries({ webhook, onReplayed }: { webhook: WebhookEndpoint; onReplayed: () => void }) {
  const [state, setState] = useState<(typeof STATES)[number]>('');
  const replay = useAction({
    mutationFn: (delivery: string) => once.replayDelivery(webhook.id, delivery),
    onSuccess: onReplayed,
  });
  return (
    <section>
      <div className="chead">
        <h2>{words.webhooks.deliveries}</h2>
        <Segments
          label={words.links.status}
          options={STATES.map((each) => [each, each === '' ? words.links.all : words.webhooks.states[each]])}
          value={state}
          onChange={setState}
        />
      </div>
      <ErrorNote error={replay.error} isAction />
      <div className="card">
        <Older
          queryKey={['deliveries', webhook.id, state]}
          ask={(before, signal) =>
            waypost.listDeliveries(webhook.id, { before, state: state === '' ? undefined : state }, { signal })
          }
          again={(shown) => shown.some(isDue) && AGAIN_MS}
          empty={state === '' ? words.webhooks.noDeliveries : words.links.nothing}
        >
          {(shown) => (
            <table className="tbl flat">
              <caption className="sr">{words.webhooks.deliveries}</caption>
              <thead>
                <tr>
                  <th className="w-event">{words.webhooks.message}</th>
                  <th className="w-state">{words.links.status}</th>
                  <th>{words.webhooks.result}</th>
                  <ActionsHead />
                </tr>
              </thead>
              <tbody>
                {shown.map((delivery) => (
                  <Delivery
                    key={delivery.id}
                    delivery={delivery}
                    isOff={replay.isPending}
                    onReplay={
                      webhook.enabled && delivery.state !== 'pending' ? () => replay.mutate(delivery.id) : undefined
                    }
                  />
                ))}
              </tbody>
            </table>
          )}
        </Older>
      </div>
    </section>
  );
}

/** During an attempt, the next one is 30 s ahead. */
const SOON_MS = 40_000;
const isDue = ({ next_attempt_at: at }: WebhookDelivery) => at !== null && Date.parse(at) < Date.now() + SOON_MS;

interface DeliveryProps {
  readonly delivery: WebhookDelivery;
  readonly isOff: boolean;
  readonly onReplay: (() => void) | undefined;
}

function Delivery({ delivery, isOff, onReplay }: DeliveryProps) {
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
        <Badge look={LOOKS[state]}>{words.webhooks.states[state]}</Badge>
        <span className="hint below">{fill(words.webhooks.attempts, { count: attempts })}</span>
      </td>
      <td>
        {status !== null && <span>{fill(words.webhooks.answered, { status })}</span>}
        {error !== null && error !== `answered ${status}` && (
          <span className="hint below" lang="en">
            <Foreign>{error}</Foreign>
          </span>
        )}
        {delivery.next_attempt_at !== null && attempts > 0 && (
          <span className="hint below">{fill(words.webhooks.next, { at: asMoment(delivery.next_attempt_at) })}</span>
        )}
        {answer !== null && answer !== '' && (
          <details className="answer">
            <summary>{words.webhooks.answer}</summary>
            <Foreign>{answer}</Foreign>
          </details>
        )}
      </td>
      <td className="c-act">
        {onReplay !== undefined && (
          <Button
            look="quiet"
            label={fill(words.webhooks.replayFor, { type, at: asMoment(delivery.created_at) })}
            isOff={isOff}
            onClick={onReplay}
          >
            {words.webhooks.replay}
          </Button>
        )}
      </td>
    </tr>
  );
}
