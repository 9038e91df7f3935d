import { useQueryClient } from '@tanstack/react-query';
import type { PropsWithChildren } from 'react';
import { Link, useLocation } from 'wouter';
import { ApiError, once } from '../api.ts';
import { Button, Dialog, ErrorNote, Field, Mark, Note, onForm, Password, Title, textIn } from '../components/index.ts';
import { useAction } from '../hooks/use-action.ts';
import screens from '../screens.json' with { type: 'json' };
import { useLeave } from '../settings/use-leave.ts';
import { fill, words } from '../words.ts';
import { hasPasskeys, signInByPasskey } from './passkeys.ts';
import { useProvider } from './provider.ts';

const t = words.signIn;

/** Another account may have signed in, so all data is read again. */
function useSignIn<T>(signInBy: (input: T) => Promise<unknown>, done: () => void = () => undefined) {
  const queries = useQueryClient();
  return useAction({
    mutationFn: signInBy,
    onSuccess: async () => {
      done();
      await queries.invalidateQueries();
    },
  });
}

const credentialsIn = (form: HTMLFormElement) => ({ email: textIn(form, 'email'), password: textIn(form, 'password') });

/** With `email`, only this account signs in: the page below holds its drafts. */
function SignInForm({ email }: { email?: string }) {
  const { error, isPending, mutate } = useSignIn((form: HTMLFormElement) =>
    once.call('signIn', { body: credentialsIn(form) }),
  );
  return (
    <form className="form" onSubmit={onForm(mutate)}>
      <Field
        name="email"
        label={words.email}
        type="email"
        autoComplete="username"
        value={email}
        isFixed={email !== undefined}
      />
      <Password name="password" label={words.password} autoFocus={email !== undefined} />
      <ErrorNote error={error} />
      <button className="btn primary" type="submit" aria-disabled={isPending}>
        {t.submit}
      </button>
      {hasPasskeys && <ByPasskey email={email} />}
    </form>
  );
}

async function signInAs(email: string | undefined): Promise<void> {
  const { email: other } = await signInByPasskey();
  if (email === undefined || email === other) return;
  await once.call('signOut');
  throw new ApiError(fill(t.otherAccount, { other, email }), { code: 'other_account', status: 403 });
}

function ByPasskey({ email }: { email: string | undefined }) {
  const signIn = useSignIn(() => signInAs(email));
  return (
    <>
      <Button isDisabled={signIn.isPending} onClick={() => signIn.mutate(undefined)}>
        {t.passkey}
      </Button>
      <ErrorNote error={signIn.error} />
    </>
  );
}

function ByProvider() {
  const provider = useProvider('beginProviderSignIn');
  if (provider.name === undefined) return null;
  return (
    <div className="form">
      <Button isDisabled={provider.isPending} onClick={provider.leave}>
        {fill(t.provider, { name: provider.name })}
      </Button>
      <ErrorNote error={provider.error} />
    </div>
  );
}

function Narrow({ title, children }: PropsWithChildren<{ title: string }>) {
  return (
    <main className="narrow">
      <p className="brand">
        <Mark />
        Waypost
      </p>
      <Title>{title}</Title>
      {children}
    </main>
  );
}

export function SignIn() {
  return (
    <Narrow title={t.title}>
      {!navigator.cookieEnabled && <Note variant="flag">{t.cookies}</Note>}
      <SignInForm />
      <ByProvider />
      <p className="hint lead-p">{t.noLink}</p>
      <p className="hint lead-p">{t.first}</p>
    </Narrow>
  );
}

/** The page looks the same with and without a session, so it does not reveal whether the path exists. */
export function NoSuchPage() {
  return (
    <Narrow title={words.noPage.title}>
      <p className="lead-p">{words.noPage.why}</p>
      <p className="lead-p">
        <Link href={screens.links}>{words.noPage.home}</Link>
      </p>
    </Narrow>
  );
}

/** This is a dialog, so that the page below keeps the text of its forms. */
export function SessionEnded({ email }: { email: string }) {
  return (
    <Dialog
      title={t.ended}
      // A full page load removes all data of the account from memory.
      foot={<Button onClick={() => location.assign('/')}>{t.another}</Button>}
    >
      <p>{t.kept}</p>
      <SignInForm email={email} />
    </Dialog>
  );
}

export function Suspended({ error }: { error: ApiError }) {
  const leave = useLeave();
  return (
    <Narrow title={words.admin.accounts.suspended}>
      <ErrorNote error={leave.error ?? error} />
      <Button variant="primary" onClick={() => leave.mutate(false)}>
        {words.settings.signOut}
      </Button>
    </Narrow>
  );
}

export function FirstRun({ token }: { token: string }) {
  const [, go] = useLocation();
  const { error, isPending, mutate } = useSignIn(
    (form: HTMLFormElement) => once.call('firstRun', { body: { token, ...credentialsIn(form) } }),
    () => go('/', { replace: true }),
  );
  return (
    <Narrow title={words.firstRun.title}>
      <p className="lead-p">{words.firstRun.lead}</p>
      <form className="form" onSubmit={onForm(mutate)}>
        <Field
          name="email"
          label={words.email}
          type="email"
          autoComplete="username"
          hint={words.firstRun.emailHint}
          error={error}
        />
        <Password
          name="password"
          label={words.password}
          autoComplete="new-password"
          hint={words.passwordHint}
          error={error}
        />
        <ErrorNote error={error} fields={['email', 'password']} />
        <button className="btn primary" type="submit" aria-disabled={isPending}>
          {words.firstRun.submit}
        </button>
      </form>
      <p className="hint lead-p">{words.firstRun.aside}</p>
    </Narrow>
  );
}
