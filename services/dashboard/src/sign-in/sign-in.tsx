import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { PropsWithChildren } from 'react';
import { Link, useLocation } from 'wouter';
import { type ApiError, once } from '../api.ts';
import { Button, Dialog, ErrorNote, Field, Mark, onForm, Title, textIn } from '../components/index.ts';
import { useAction } from '../hooks/use-action.ts';
import screens from '../screens.json' with { type: 'json' };
import { useLeave } from '../settings/settings.tsx';
import { fill, words } from '../words.ts';
import { hasPasskeys, signInByPasskey } from './passkeys.ts';

const t = words.signIn;

/** Another account may have signed in, so all data is read again. */
function useSignIn<T>(act: (input: T) => Promise<unknown>, done: () => void = () => undefined) {
  const queries = useQueryClient();
  return useAction({
    mutationFn: act,
    onSuccess: async () => {
      done();
      await queries.invalidateQueries();
    },
  });
}

const credentialsIn = (form: HTMLFormElement) => ({ email: textIn(form, 'email'), password: textIn(form, 'password') });

function SignInForm({ autoFocus = false }: { autoFocus?: boolean }) {
  const { error, isPending, mutate } = useSignIn((form: HTMLFormElement) =>
    once.call('signIn', { body: credentialsIn(form) }),
  );
  return (
    <form className="form" onSubmit={onForm(mutate)}>
      <Field name="email" label={words.email} type="email" autoComplete="username" autoFocus={autoFocus} />
      <Field name="password" label={words.password} type="password" autoComplete="current-password" />
      <ErrorNote error={error} />
      <button className="btn primary" type="submit" aria-disabled={isPending}>
        {t.submit}
      </button>
      {hasPasskeys && <ByPasskey />}
    </form>
  );
}

function ByPasskey() {
  const signIn = useSignIn(signInByPasskey);
  return (
    <>
      <Button isOff={signIn.isPending} onClick={() => signIn.mutate(undefined)}>
        {t.passkey}
      </Button>
      <ErrorNote error={signIn.error} />
    </>
  );
}

function ByProvider() {
  const options = useQuery({
    queryKey: ['sign-in-options'],
    queryFn: () => once.call('getSignInOptions'),
    staleTime: 60_000,
  });
  const leave = useAction({
    mutationFn: () => once.call('beginProviderSignIn'),
    onSuccess: ({ url }) => location.assign(url),
  });
  if (!options.data?.provider) return null;
  return (
    <div className="form">
      <Button isOff={leave.isPending} onClick={() => leave.mutate()}>
        {fill(t.provider, { name: options.data.provider.name })}
      </Button>
      <ErrorNote error={leave.error} />
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
export function SessionEnded() {
  return (
    <Dialog title={t.ended} foot={null}>
      <p>{t.kept}</p>
      <SignInForm autoFocus />
    </Dialog>
  );
}

export function Suspended({ error }: { error: ApiError }) {
  const leave = useLeave();
  return (
    <Narrow title={words.admin.accounts.suspended}>
      <ErrorNote error={leave.error ?? error} />
      <Button look="primary" onClick={() => leave.mutate(false)}>
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
        <Field
          name="password"
          label={words.password}
          type="password"
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
