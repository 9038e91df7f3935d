import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAction } from '../action.ts';
import { api, type PasskeyList } from '../api.ts';
import { ConfirmDialog } from '../dialogs.tsx';
import { asDay } from '../language.ts';
import { Button, ErrorNote, Field, LoadError, onForm, Skeleton, textIn, useSay } from '../parts.tsx';
import { addPasskey, hasPasskeys } from '../passkeys.ts';
import { fill, words } from '../words.ts';

type Passkey = PasskeyList['data'][number];

export function PasskeyCard() {
  const queries = useQueryClient();
  const say = useSay();
  const [removing, setRemoving] = useState<Passkey>();
  const passkeys = useQuery({ queryKey: ['passkeys'], queryFn: api.passkeys });
  const changed = (said: string) => {
    say(said);
    return queries.invalidateQueries({ queryKey: ['passkeys'] });
  };
  const add = useAction({
    mutationFn: (form: HTMLFormElement) => addPasskey(textIn(form, 'name')).then(() => form.reset()),
    onSuccess: () => changed(words.passkeys.added),
  });
  return (
    <section className="card pad">
      <h2>{words.passkeys.title}</h2>
      <p className="hint lead-p">{words.passkeys.why}</p>
      {passkeys.data !== undefined && <List passkeys={passkeys.data.data} onRemove={setRemoving} />}
      {passkeys.isPending && <Skeleton rows={1} />}
      {passkeys.error && <LoadError error={passkeys.error} retry={() => passkeys.refetch()} />}
      {hasPasskeys ? (
        <form className="form" onSubmit={onForm(add.mutate)}>
          <Field name="name" label={words.passkeys.name} hint={words.passkeys.nameHint} error={add.error} />
          <ErrorNote error={add.error} fields={['name']} isAction />
          <button className="btn start" type="submit" aria-disabled={add.isPending}>
            {words.passkeys.add}
          </button>
        </form>
      ) : (
        <p className="hint lead-p">{words.passkeys.unsupported}</p>
      )}
      {removing !== undefined && (
        <ConfirmDialog
          title={fill(words.passkeys.removeTitle, { name: removing.name })}
          why={words.passkeys.removeWhy}
          keep={words.passkeys.keep}
          act={words.passkeys.removeAct}
          run={() => api.deletePasskey(removing.id)}
          lookUp={async () => {
            const { data } = await api.passkeys();
            return data.some(({ id }) => id === removing.id) ? undefined : { answer: undefined };
          }}
          onDone={() => void changed(words.passkeys.removed)}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </section>
  );
}

function List({ passkeys, onRemove }: { passkeys: readonly Passkey[]; onRemove: (passkey: Passkey) => void }) {
  if (passkeys.length === 0) return <p className="hint lead-p">{words.passkeys.none}</p>;
  return (
    <ul className="entries">
      {passkeys.map((passkey) => (
        <li key={passkey.id}>
          <span>
            <b>
              <bdi>{passkey.name}</bdi>
            </b>
            <span className="hint">
              {fill(words.passkeys.made, { date: asDay(passkey.created_at) })},{' '}
              {passkey.last_used_at === null
                ? words.passkeys.never
                : fill(words.passkeys.used, { date: asDay(passkey.last_used_at) })}
            </span>
          </span>
          <Button
            look="quiet danger"
            label={fill(words.passkeys.removeFor, { name: passkey.name })}
            onClick={() => onRemove(passkey)}
          >
            {words.passkeys.remove}
          </Button>
        </li>
      ))}
    </ul>
  );
}
