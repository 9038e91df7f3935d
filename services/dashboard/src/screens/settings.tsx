import { useQueryClient } from '@tanstack/react-query';
import { useAction } from '../action.ts';
import { type Account, api } from '../api.ts';
import { Button, ErrorNote, Field, Head, onForm, textIn, useSay } from '../parts.tsx';
import { fill, words } from '../words.ts';
import { LanguageChoice, ThemeChoice } from './language-choice.tsx';
import { LeaveCard } from './leave-card.tsx';
import { PasskeyCard } from './passkey-card.tsx';

/** Signs out, here or `everywhere`. */
export const useLeave = () =>
  useAction({
    mutationFn: (everywhere: boolean) => (everywhere ? api.signOutEverywhere() : api.signOut()),
    // Nothing of the account stays in the page's memory.
    onSuccess: () => location.assign('/'),
  });

export function Settings({ account }: { account: Account }) {
  const queries = useQueryClient();
  const say = useSay();
  const change = useAction({
    mutationFn: (form: HTMLFormElement) =>
      api
        .changePassword({
          new_password: textIn(form, 'new_password'),
          ...(textIn(form, 'current_password') === '' ? {} : { current_password: textIn(form, 'current_password') }),
        })
        .then(() => form.reset()),
    onSuccess: () => {
      say(words.settings.changed);
      return queries.invalidateQueries({ queryKey: ['account'] });
    },
  });
  const leave = useLeave();
  return (
    <>
      <Head title={words.settings.title} />
      <p className="lead-p">
        {fill(words.settings.signedIn, { email: account.email })} {account.admin && words.settings.admin}
      </p>
      <div className="two">
        <section className="card pad">
          <h2>{words.settings.change}</h2>
          <form className="form" onSubmit={onForm(change.mutate)}>
            {account.has_password && (
              <Field
                name="current_password"
                label={words.settings.current}
                type="password"
                autoComplete="current-password"
                hint={words.settings.currentHint}
                error={change.error}
                required={false}
              />
            )}
            <Field
              name="new_password"
              label={words.settings.new}
              type="password"
              autoComplete="new-password"
              hint={words.passwordHint}
              error={change.error}
            />
            <ErrorNote error={change.error} fields={['current_password', 'new_password']} isAction />
            {change.isSuccess && <p className="note good">{words.settings.changed}</p>}
            <button className="btn primary" type="submit" aria-disabled={change.isPending}>
              {words.settings.change}
            </button>
          </form>
        </section>
        <PasskeyCard />
        <section className="card pad">
          <h2>{words.settings.sessions}</h2>
          <div className="form">
            <Button look="start" onClick={() => leave.mutate(false)}>
              {words.settings.signOut}
            </Button>
            <p className="hint">{words.settings.everywhereWhy}</p>
            <Button look="danger start" onClick={() => leave.mutate(true)}>
              {words.settings.everywhere}
            </Button>
            <ErrorNote error={leave.error} isAction />
          </div>
        </section>
        <LanguageChoice />
        <ThemeChoice />
        <LeaveCard account={account} />
      </div>
    </>
  );
}
