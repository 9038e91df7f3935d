import { useState } from 'react';
import { useAction } from '../action.ts';
import { type Account, api, isSignedOut, once } from '../api.ts';
import { FormDialog } from '../dialogs.tsx';
import { Button, download, ErrorNote, Field, textIn } from '../parts.tsx';
import { fill, words } from '../words.ts';

/** Everything that is stored about the account, as one file. */
async function everything(): Promise<string[]> {
  const first = await api.exportAccount();
  const links = [...first.links];
  for (let { next } = first; next !== null; ) {
    const page = await api.exportAccount(next);
    links.push(...page.links);
    next = page.next;
  }
  return [JSON.stringify({ ...first.person, links }, null, 2)];
}

export function LeaveCard({ account }: { account: Account }) {
  const [leaving, setLeaving] = useState(false);
  const taken = useAction({
    mutationFn: everything,
    onSuccess: (parts) => download('waypost-account.json', parts, 'application/json'),
  });
  return (
    <section className="card pad">
      <h2>{words.leave.title}</h2>
      <div className="form">
        <p className="hint">{words.leave.exportWhy}</p>
        <Button look="start" isOff={taken.isPending} onClick={() => taken.mutate()}>
          {words.leave.export}
        </Button>
        <ErrorNote error={taken.error} />
        <p className="hint">{words.leave.why}</p>
        <Button look="danger start" onClick={() => setLeaving(true)}>
          {words.leave.delete}
        </Button>
      </div>
      {leaving && (
        <FormDialog
          title={words.leave.delete}
          act={words.leave.act}
          isFinal
          fields={account.has_password ? ['email', 'current_password'] : ['email']}
          send={(form) =>
            api.deleteAccount({
              email: textIn(form, 'email'),
              ...(account.has_password && { current_password: textIn(form, 'current_password') }),
            })
          }
          // Without the account there is no session.
          lookUp={() =>
            once.account().then(
              () => undefined,
              (error: unknown) => {
                if (isSignedOut(error)) return { answer: undefined };
                throw error;
              },
            )
          }
          // Nothing of the account stays in the page's memory.
          onSent={() => location.assign('/')}
          onClose={() => setLeaving(false)}
        >
          {(error) => (
            <>
              <p>{words.leave.why}</p>
              <Field
                name="email"
                label={words.leave.email}
                hint={fill(words.leave.emailHint, { email: account.email })}
                error={error}
              />
              {account.has_password && (
                <Field
                  name="current_password"
                  label={words.settings.current}
                  type="password"
                  autoComplete="current-password"
                  error={error}
                />
              )}
            </>
          )}
        </FormDialog>
      )}
    </section>
  );
}
