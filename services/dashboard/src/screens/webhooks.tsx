import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { type CreatedWebhook, once, waypost } from '../api.ts';
import { ShownOnce } from '../dialogs.tsx';
import { Loaded } from '../loaded.tsx';
import { Button, Destination, Empty, Head, Tag, When } from '../parts.tsx';
import screens from '../screens.json';
import { fill, words } from '../words.ts';
import { WebhookForm, WebhookState } from './webhook-form.tsx';

export default function Webhooks() {
  const queries = useQueryClient();
  const webhooks = useQuery({ queryKey: ['webhooks'], queryFn: ({ signal }) => waypost.listWebhooks({ signal }) });
  const [open, setOpen] = useState<'form' | CreatedWebhook>();
  const { data = [], limit = 0 } = webhooks.data ?? {};
  const full = webhooks.data !== undefined && data.length >= limit;
  return (
    <>
      <Head title={words.webhooks.title}>
        {full && <span className="hint">{fill(words.webhooks.full, { limit })}</span>}
        <Button look="primary" isOff={full} onClick={() => setOpen('form')}>
          {words.webhooks.create}
        </Button>
      </Head>
      {webhooks.data !== undefined && <p className="hint">{fill(words.webhooks.lead, { used: data.length, limit })}</p>}
      <div className="card lead-p">
        <Loaded query={webhooks} rows={3}>
          {() =>
            data.length === 0 ? (
              <Empty title={words.webhooks.none}>
                <p>{words.webhooks.noneHow}</p>
              </Empty>
            ) : (
              <table className="tbl flat">
                <caption className="sr">{words.webhooks.title}</caption>
                <thead>
                  <tr>
                    <th>{words.webhooks.url}</th>
                    <th className="w-state">{words.links.status}</th>
                    <th className="c-when">{words.links.created}</th>
                  </tr>
                </thead>
                <tbody>
                  {data.map((webhook) => (
                    <tr key={webhook.id}>
                      <td>
                        <Link href={screens.webhook.replace(':id', webhook.id)} className="through">
                          <Destination url={webhook.url} />
                        </Link>
                        <span className="tags many-tags">
                          {webhook.events.map((event) => (
                            <Tag key={event}>{event}</Tag>
                          ))}
                        </span>
                      </td>
                      <td className="w-state">
                        <WebhookState webhook={webhook} />
                      </td>
                      <td className="c-when when">
                        <When at={webhook.created_at} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )
          }
        </Loaded>
      </div>
      {open === 'form' && (
        <WebhookForm
          title={words.webhooks.create}
          act={words.webhooks.create}
          send={(webhook) => once.createWebhook(webhook)}
          lookUp={async () => {
            const now = await once.listWebhooks();
            const isNew = now.data.some(({ id }) => !data.some((webhook) => webhook.id === id));
            return isNew ? { lost: words.webhooks.lost } : undefined;
          }}
          onSent={(made) => {
            setOpen(made);
            void queries.invalidateQueries({ queryKey: ['webhooks'] });
          }}
          onClose={() => setOpen(undefined)}
        />
      )}
      {typeof open === 'object' && (
        <ShownOnce
          title={words.webhooks.once}
          why={words.webhooks.onceWhy}
          secret={open.secret}
          copied={words.webhooks.copied}
          stored={words.webhooks.stored}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}
