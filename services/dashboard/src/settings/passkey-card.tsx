import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { once, type Passkey } from '../api.ts';
import { Button, Card, ConfirmDialog, ErrorNote, Field, Loaded, onForm, textIn } from '../components/index.ts';
import { useAction } from '../hooks/use-action.ts';
import { useRefresh } from '../hooks/use-refresh.ts';
import { asDay } from '../language.ts';
import { addPasskey, hasPasskeys } from '../sign-in/passkeys.ts';
import { fill, words } from '../words.ts';

const t = words.passkeys;

export function PasskeyCard() {
  const refresh = useRefresh(['passkeys']);
  const [open, setOpen] = useState<Passkey>();
  const passkeys = useQuery({ queryKey: ['passkeys'], queryFn: () => once.call('listPasskeys') });
  const add = useAction({
    mutationFn: (form: HTMLFormElement) => addPasskey(textIn(form, 'name')).then(() => form.reset()),
    onSuccess: () => refresh(t.added),
  });
  return (
    <Card title={t.title}>
      <p className="hint lead-p">{t.why}</p>
      <Loaded query={passkeys} rows={1}>
        {({ data }) => <List passkeys={data} onRemove={setOpen} />}
      </Loaded>
      {hasPasskeys ? (
        <form className="form" onSubmit={onForm(add.mutate)}>
          <Field name="name" label={t.name} hint={t.nameHint} error={add.error} />
          <ErrorNote error={add.error} fields={['name']} isAction />
          <button className="btn start" type="submit" aria-disabled={add.isPending}>
            {t.add}
          </button>
        </form>
      ) : (
        <p className="hint lead-p">{t.unsupported}</p>
      )}
      {open !== undefined && (
        <ConfirmDialog
          title={fill(t.removeTitle, { name: open.name })}
          why={t.removeWhy}
          cancelLabel={t.keep}
          submitLabel={t.removeAct}
          send={() => once.call('deletePasskey', { path: { id: open.id } })}
          lookUp={async () => {
            const { data } = await once.call('listPasskeys');
            return data.some(({ id }) => id === open.id) ? undefined : { answer: undefined };
          }}
          onSent={() => void refresh(t.removed)}
          onClose={() => setOpen(undefined)}
        />
      )}
    </Card>
  );
}

function List({ passkeys, onRemove }: { passkeys: readonly Passkey[]; onRemove: (passkey: Passkey) => void }) {
  if (passkeys.length === 0) return <p className="hint lead-p">{t.none}</p>;
  return (
    <ul className="entries">
      {passkeys.map((passkey) => (
        <li key={passkey.id}>
          <span>
            <b>
              <bdi>{passkey.name}</bdi>
            </b>
            <span className="hint">
              {fill(t.made, { date: asDay(passkey.created_at) })},{' '}
              {passkey.last_used_at === null ? t.never : fill(t.used, { date: asDay(passkey.last_used_at) })}
            </span>
          </span>
          <Button
            variant="quiet danger"
            label={fill(t.removeFor, { name: passkey.name })}
            onClick={() => onRemove(passkey)}
          >
            {t.remove}
          </Button>
        </li>
      ))}
    </ul>
  );
}
