import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { type Account, type CreatedWebhook, once, type WebhookEndpoint, waypost } from '../api.ts';
import { Button, Destination, Empty, Head, Loaded, ShownOnce, Table, Tag, WhenCell } from '../components/index.ts';
import { useRefresh } from '../hooks/use-refresh.ts';
import screens from '../screens.json' with { type: 'json' };
import { fill, words } from '../words.ts';
import { WebhookForm, WebhookState } from './webhook-form.tsx';

const t = words.webhooks;

export default function Webhooks({ account }: { account: Account }) {
  const refresh = useRefresh(['webhooks']);
  const webhooks = useQuery({ queryKey: ['webhooks'], queryFn: ({ signal }) => waypost.listWebhooks({ signal }) });
  const [open, setOpen] = useState<'form' | CreatedWebhook>();
  const { data = [], limit = 0 } = webhooks.data ?? {};
  const full = webhooks.data !== undefined && data.length >= limit;
  return (
    <>
      <Head title={t.title}>
        {full && <span className="hint">{fill(t.full, { limit })}</span>}
        <Button variant="primary" isDisabled={full} onClick={() => setOpen('form')}>
          {t.create}
        </Button>
      </Head>
      {webhooks.data !== undefined && <p className="hint">{fill(t.lead, { used: data.length, limit })}</p>}
      <div className="card lead-p">
        <Loaded query={webhooks} rows={3}>
          {() =>
            data.length === 0 ? (
              <Empty title={t.none}>
                <p>{t.noneHow}</p>
              </Empty>
            ) : (
              <Table
                caption={t.title}
                heads={[[t.url], [words.links.status, 'w-state'], [words.links.created, 'c-when']]}
              >
                {data.map((webhook) => (
                  <Row key={webhook.id} webhook={webhook} />
                ))}
              </Table>
            )
          }
        </Loaded>
      </div>
      {open === 'form' && (
        <WebhookForm
          title={t.create}
          submitLabel={t.create}
          scopes={account.admin}
          send={(webhook) => once.createWebhook(webhook)}
          lookUp={async () => {
            const now = await once.listWebhooks();
            const isNew = now.data.some(({ id }) => !data.some((webhook) => webhook.id === id));
            return isNew ? { lost: t.lost } : undefined;
          }}
          onSent={(created) => {
            setOpen(created);
            void refresh();
          }}
          onClose={() => setOpen(undefined)}
        />
      )}
      {typeof open === 'object' && (
        <ShownOnce
          title={t.once}
          why={t.onceWhy}
          secret={open.secret}
          copied={t.copied}
          stored={t.stored}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}

function Row({ webhook }: { webhook: WebhookEndpoint }) {
  return (
    <tr>
      <td>
        <Link href={screens.webhook.replace(':id', webhook.id)} className="through">
          <Destination url={webhook.url} />
        </Link>
        <span className="tags many-tags">
          {webhook.scope === 'installation' && <Tag>{t.scopes.installation}</Tag>}
          {webhook.events.map((event) => (
            <Tag key={event}>{event}</Tag>
          ))}
        </span>
      </td>
      <td className="w-state">
        <WebhookState webhook={webhook} />
      </td>
      <WhenCell at={webhook.created_at} />
    </tr>
  );
}
