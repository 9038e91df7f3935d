import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { once, type WebhookEndpoint, waypost } from '../api.ts';
import { Button, Destination, DetailHead, ErrorNote, isMissing, NotThere, Tag } from '../components/index.ts';
import { useAction } from '../hooks/use-action.ts';
import { useRefresh } from '../hooks/use-refresh.ts';
import { asDay } from '../language.ts';
import screens from '../screens.json' with { type: 'json' };
import { fill, words } from '../words.ts';
import { Deliveries } from './deliveries.tsx';
import { type Open, WebhookDialog } from './webhook-dialog.tsx';
import { eventsOf, WebhookState } from './webhook-form.tsx';

const t = words.webhooks;

export default function WebhookDetail({ id }: { id: string }) {
  const webhook = useQuery({
    queryKey: ['webhook', id],
    queryFn: ({ signal }) => waypost.getWebhook(id, { signal }),
    refetchInterval: 5_000,
  });
  if (webhook.data !== undefined && !isMissing(webhook.error)) return <Webhook webhook={webhook.data} />;
  return (
    <NotThere query={webhook} missing={t.missing}>
      <Link href={screens.webhooks}>{t.title}</Link>
    </NotThere>
  );
}

function Webhook({ webhook }: { webhook: WebhookEndpoint }) {
  const { id, url, enabled } = webhook;
  const refresh = useRefresh(['webhook', id], ['webhooks'], ['deliveries', id]);
  const [open, setOpen] = useState<Open>();
  const { host } = new URL(url);
  const flip = useAction({
    mutationFn: () => once.changeWebhook(id, { url, events: eventsOf(webhook), enabled: !enabled }),
    onSuccess: (now) => refresh(now.enabled ? t.switchedOn : t.switchedOff),
  });
  const send = useAction({
    mutationFn: () => once.testWebhook(id),
    onSuccess: () => refresh(t.testSent),
  });
  return (
    <>
      <DetailHead
        list={t.title}
        href={screens.webhooks}
        name={host}
        title={host}
        actions={
          <>
            <Button isDisabled={!enabled || send.isPending} onClick={() => send.mutate()}>
              {t.test}
            </Button>
            <Button onClick={() => setOpen('change')}>{t.change}</Button>
            <Button isDisabled={flip.isPending} onClick={() => flip.mutate()}>
              {enabled ? t.switchOff : t.switchOn}
            </Button>
            <Button onClick={() => setOpen('rotate')}>{t.rotate}</Button>
            <Button variant="danger" onClick={() => setOpen('delete')}>
              {words.keys.delete}
            </Button>
          </>
        }
      >
        <p className="to">
          <Destination url={url} full />
        </p>
        <p className="meta">
          {webhook.scope === 'installation' && <Tag>{t.scopes.installation}</Tag>}
          {webhook.events.map((event) => (
            <Tag key={event}>{event}</Tag>
          ))}
          <span className="hint">{fill(words.link.createdOn, { date: asDay(webhook.created_at) })}</span>
        </p>
        <div className="lead-p">
          <WebhookState webhook={webhook} />
          {webhook.key_id !== null && <span className="hint below">{fill(t.byKey, { id: webhook.key_id })}</span>}
        </div>
      </DetailHead>
      <ErrorNote error={send.error ?? flip.error} isAction />
      <Deliveries webhook={webhook} onReplayed={() => refresh(t.replayed)} />
      {open !== undefined && <WebhookDialog webhook={webhook} open={open} onOpen={setOpen} />}
    </>
  );
}
