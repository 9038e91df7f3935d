import { useState } from 'react';
import type { CreatedApiKey, NewApiKey } from '../api.ts';
import { Check, Field, FormDialog, type FormDialogProps, textIn } from '../components/index.ts';
import { words } from '../words.ts';

const t = words.keys;

const SCOPES = ['read', 'write', 'admin'] as const;

/** The last day ends at midnight in the time zone of the browser. */
const endOf = (day: string) => (day === '' ? null : new Date(`${day}T24:00`).toISOString());

interface KeyFormProps extends Pick<FormDialogProps<CreatedApiKey>, 'lookUp' | 'onClose' | 'onSent'> {
  readonly create: (key: NewApiKey) => Promise<CreatedApiKey>;
}

export function KeyForm({ create, ...dialog }: KeyFormProps) {
  const [scopes, setScopes] = useState<readonly (typeof SCOPES)[number][]>(['read', 'write']);
  // `admin` includes the other scopes.
  const toggle = (scope: (typeof SCOPES)[number], on: boolean) =>
    setScopes(!on ? scopes.filter((each) => each !== scope) : scope === 'admin' ? ['admin'] : [...scopes, scope]);
  return (
    <FormDialog
      {...dialog}
      title={t.create}
      submitLabel={t.create}
      fields={['name', 'expires_at']}
      send={(form) => create({ name: textIn(form, 'name'), scopes, expires_at: endOf(textIn(form, 'expires_at')) })}
    >
      {(error) => (
        <>
          <Field name="name" label={t.name} error={error} autoFocus />
          <fieldset className="field">
            <legend className="lbl">{t.scopes}</legend>
            {SCOPES.map((scope) => (
              <Check
                key={scope}
                label={t.scope[scope]}
                checked={scopes.includes(scope)}
                disabled={scope !== 'admin' && scopes.includes('admin')}
                onChange={(event) => toggle(scope, event.currentTarget.checked)}
              />
            ))}
          </fieldset>
          <Field name="expires_at" label={t.ends} type="date" hint={t.endsHint} error={error} required={false} />
        </>
      )}
    </FormDialog>
  );
}
