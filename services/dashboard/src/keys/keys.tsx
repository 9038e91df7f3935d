import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type ApiKey, type CreatedApiKey, type DeleteKeyQuery, type NewApiKey, once, waypost } from '../api.ts';
import {
  Button,
  Check,
  Destination,
  Empty,
  FormDialog,
  type FormDialogProps,
  Head,
  Loaded,
  Table,
  Tag,
  textIn,
  When,
  WhenCell,
} from '../components/index.ts';
import { useRefresh } from '../hooks/use-refresh.ts';
import { asMoment } from '../language.ts';
import { fill, words } from '../words.ts';
import { KeyForm } from './key-form.tsx';
import { NewKey } from './new-key.tsx';

const t = words.keys;

type Open = 'form' | CreatedApiKey | { readonly toDelete: ApiKey } | undefined;

interface KeysProps {
  /** The e-mail address of another account; undefined for the user's own account. */
  readonly of?: string | undefined;
}

const keysOf = (email: string | undefined, client: typeof waypost) =>
  email === undefined
    ? client
    : {
        keys: () => client.admin.keys(email),
        createKey: (key: NewApiKey) => client.admin.createKey(email, key),
        deleteKey: (id: string, query: DeleteKeyQuery) => client.admin.deleteKey(id, query),
      };

export function Keys({ of: email }: KeysProps) {
  const refresh = useRefresh(['keys']);
  const account = keysOf(email, once);
  const keys = useQuery({ queryKey: ['keys', email], queryFn: () => keysOf(email, waypost).keys() });
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const { data = [], limit = 0 } = keys.data ?? {};
  return (
    <>
      <KeysHead of={email} used={keys.data && data.length} limit={limit} onCreate={() => setOpen('form')} />
      <div className="card lead-p">
        <Loaded query={keys} rows={3}>
          {() =>
            data.length === 0 ? (
              <Empty title={t.none}>{email === undefined && <p>{t.noneHow}</p>}</Empty>
            ) : (
              <Table
                caption={t.title}
                variant=""
                heads={[[t.name], [t.key, 'k-key'], [t.scopes, 'k-sc'], [t.used, 'k-used'], [t.made, 'c-when k-made']]}
                actions="c-act"
              >
                {data.map((key) => (
                  <Row key={key.id} apiKey={key} onDelete={() => setOpen({ toDelete: key })} />
                ))}
              </Table>
            )
          }
        </Loaded>
      </div>
      <p className="hint lead-p">{t.after}</p>
      {open === 'form' && (
        <KeyForm
          create={(key) => account.createKey(key)}
          lookUp={async (form) => {
            const isNew = (key: ApiKey) =>
              key.name === textIn(form, 'name').trim() && !data.some(({ id }) => id === key.id);
            return (await account.keys()).data.some(isNew) ? { lost: t.lost } : undefined;
          }}
          onClose={close}
          onSent={(created) => {
            setOpen(created);
            void refresh();
          }}
        />
      )}
      {typeof open === 'object' && 'key' in open && <NewKey created={open} onClose={close} />}
      {typeof open === 'object' && 'toDelete' in open && (
        <DeleteKey
          of={email}
          apiKey={open.toDelete}
          run={(query) => account.deleteKey(open.toDelete.id, query)}
          lookUp={async () => {
            const { id } = open.toDelete;
            return (await account.keys()).data.some((key) => key.id === id) ? undefined : { answer: undefined };
          }}
          onSent={() => void refresh()}
          onClose={close}
        />
      )}
    </>
  );
}

interface DeleteKeyProps extends KeysProps, Pick<FormDialogProps<unknown>, 'lookUp' | 'onSent' | 'onClose'> {
  readonly apiKey: ApiKey;
  readonly run: (query: DeleteKeyQuery) => Promise<unknown>;
}

/** Users see the webhooks of their own key. An administrator only chooses whether to switch them off. */
function DeleteKey({ of: email, apiKey, run, ...dialog }: DeleteKeyProps) {
  const [disablesWebhooks, setDisablesWebhooks] = useState(true);
  const isOwn = email === undefined;
  const webhooks = useQuery({
    queryKey: ['webhooks'],
    queryFn: ({ signal }) => waypost.listWebhooks({ signal }),
    enabled: isOwn,
  });
  const its = webhooks.data?.data.filter(({ key_id: id, enabled }) => enabled && id === apiKey.id) ?? [];
  const asks = its.length > 0 || !isOwn;
  return (
    <FormDialog<unknown>
      {...dialog}
      isFinal
      title={fill(t.deleteTitle, { name: apiKey.name })}
      submitLabel={t.deleteAct}
      cancelLabel={t.keep}
      send={() => run({ webhooks: disablesWebhooks && asks ? 'switch_off' : 'keep' })}
    >
      {() => (
        <>
          <p>{t.deleteWhy}</p>
          {its.length > 0 && (
            <>
              <p>{t.itsWebhooks}</p>
              <ul>
                {its.map(({ id, url }) => (
                  <li key={id}>
                    <Destination url={url} />
                  </li>
                ))}
              </ul>
            </>
          )}
          {asks && (
            <Check
              label={isOwn ? t.switchOffWebhooks : words.admin.keys.switchOffWebhooks}
              checked={disablesWebhooks}
              onChange={({ currentTarget: { checked } }) => setDisablesWebhooks(checked)}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}

interface KeysHeadProps extends KeysProps {
  readonly used: number | undefined;
  readonly limit: number;
  readonly onCreate: () => void;
}

function KeysHead({ of: email, used, limit, onCreate }: KeysHeadProps) {
  const isFull = used !== undefined && used >= limit;
  return (
    <>
      <Head title={email === undefined ? t.title : fill(words.admin.keys.title, { email })}>
        {isFull && (
          <span className="hint">
            {email === undefined ? fill(t.full, { limit }) : fill(words.admin.keys.full, { limit })}
          </span>
        )}
        <Button variant="primary" isDisabled={isFull} onClick={onCreate}>
          {t.create}
        </Button>
      </Head>
      {used !== undefined && (
        <p className="hint">
          {email === undefined ? fill(t.lead, { used, limit }) : fill(words.admin.keys.lead, { used, limit })}
        </p>
      )}
    </>
  );
}

function Row({ apiKey, onDelete }: { apiKey: ApiKey; onDelete: () => void }) {
  const { name, hint, scopes, last_used_at: usedAt, expires_at: expiresAt } = apiKey;
  return (
    <tr>
      <td className="cut">
        <b>
          <bdi>{name}</bdi>
        </b>
        {expiresAt !== null && <span className="hint below">{fill(t.until, { at: asMoment(expiresAt) })}</span>}
      </td>
      <td className="k-key">
        <code>{hint}…</code>
      </td>
      <td className="k-sc">
        <span className="tags">
          {scopes.map((scope) => (
            <Tag key={scope}>{scope}</Tag>
          ))}
        </span>
      </td>
      <td className="k-used when">{usedAt === null ? t.never : <When at={usedAt} />}</td>
      <WhenCell at={apiKey.created_at} variant="k-made" />
      <td className="c-act">
        <Button variant="quiet danger" label={fill(t.deleteFor, { name })} onClick={onDelete}>
          {t.delete}
        </Button>
      </td>
    </tr>
  );
}
