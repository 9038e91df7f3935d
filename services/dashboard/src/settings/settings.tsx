import { type Account, once } from '../api.ts';
import { Card, ErrorNote, Head, Note, onForm, Password, textIn } from '../components/index.ts';
import { useAction } from '../hooks/use-action.ts';
import { useRefresh } from '../hooks/use-refresh.ts';
import { fill, words } from '../words.ts';
import { IdentityCard } from './identity-card.tsx';
import { LanguageChoice, ThemeChoice } from './language-choice.tsx';
import { LeaveCard } from './leave-card.tsx';
import { PasskeyCard } from './passkey-card.tsx';
import { SessionCard } from './session-card.tsx';

const t = words.settings;

export function Settings({ account }: { account: Account }) {
  const refresh = useRefresh(['account']);
  const change = useAction({
    mutationFn: (form: HTMLFormElement) =>
      once
        .call('changePassword', {
          body: {
            new_password: textIn(form, 'new_password'),
            ...(textIn(form, 'current_password') === '' ? {} : { current_password: textIn(form, 'current_password') }),
          },
        })
        .then(() => form.reset()),
    onSuccess: () => refresh(t.changed),
  });
  return (
    <>
      <Head title={t.title} />
      <p className="lead-p">
        {fill(t.signedIn, { email: account.email })} {account.admin && t.admin}
      </p>
      <div className="two">
        <Card title={t.change}>
          <form className="form" onSubmit={onForm(change.mutate)}>
            {account.has_password && <Password hint={t.currentHint} error={change.error} required={false} />}
            <Password
              name="new_password"
              label={t.new}
              autoComplete="new-password"
              hint={words.passwordHint}
              error={change.error}
            />
            <ErrorNote error={change.error} fields={['current_password', 'new_password']} isAction />
            {change.isSuccess && <Note variant="good">{t.changed}</Note>}
            <button className="btn primary" type="submit" aria-disabled={change.isPending}>
              {t.change}
            </button>
          </form>
        </Card>
        <PasskeyCard />
        <IdentityCard />
        <SessionCard />
        <LanguageChoice />
        <ThemeChoice />
        <LeaveCard account={account} />
      </div>
    </>
  );
}
