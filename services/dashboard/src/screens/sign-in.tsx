import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { useAction } from '../action.ts';
import { type ApiError, api } from '../api.ts';
import { Button, Dialog, ErrorNote, Field, Mark, onForm, Title, textIn } from '../parts.tsx';
import { hasPasskeys, signInByPasskey } from '../passkeys.ts';
import screens from '../screens.json';
import { fill, words } from '../words.ts';
import { useLeave } from './settings.tsx';

/** Everything is asked anew: it may be another account. */
function useSignIn<T>(act: (given: T) => Promise<unknown>, done: () => void = () => undefined) {
  const queries = useQueryClient();
  return useAction({
    mutationKey: ['sign-in'],
    mutationFn: act,
    onSuccess: async () => {
      done();
      await queries.invalidateQueries();
    },
  });
}

function SignInForm({ autoFocus = false }: { autoFocus?: boolean }) {
  const { error, isPending, mutate } = useSignIn((form: HTMLFormElement) =>
    api.signIn({ email: textIn(form, 'email'), password: textIn(form, 'password') }),
  );
  return (
    <form className="form" onSubmit={onForm(mutate)}>
      <Field name="email" label={words.email} type="email" autoComplete="username" autoFocus={autoFocus} />
      <Field name="password" label={words.password} type="password" autoComplete="current-password" />
      <ErrorNote error={error} />
      <button className="btn primary" type="submit" aria-disabled={isPending}>
        {words.signIn.submit}
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
        {words.signIn.passkey}
      </Button>
      <ErrorNote error={signIn.error} />
    </>
  );
}

/** It leads away from the page. */
function ByProvider() {
  const options = useQuery({ queryKey: ['sign-in-options'], queryFn: api.signInOptions, staleTime: 60_000 });
  const leave = useAction({
    mutationKey: ['sign-in'],
    mutationFn: api.askProvider,
    onSuccess: ({ url }) => location.assign(url),
  });
  if (!options.data?.provider) return null;
  return (
    <div className="form">
      <Button isOff={leave.isPending} onClick={() => leave.mutate()}>
        {fill(words.signIn.provider, { name: options.data.provider.name })}
      </Button>
      <ErrorNote error={leave.error} />
    </div>
  );
}

/** Of a page without navigation. */
function NarrowHead({ title }: { title: string }) {
  return (
    <>
      <p className="brand">
        <Mark />
        Waypost
      </p>
      <Title>{title}</Title>
    </>
  );
}

export function SignIn() {
  return (
    <main className="narrow">
      <NarrowHead title={words.signIn.title} />
      <SignInForm />
      <ByProvider />
      <p className="hint lead-p">{words.signIn.noLink}</p>
      <p className="hint lead-p">{words.signIn.first}</p>
    </main>
  );
}

/** The same for whoever is not signed in. */
export function NoSuchPage() {
  return (
    <main className="narrow">
      <NarrowHead title={words.noPage.title} />
      <p className="lead-p">{words.noPage.why}</p>
      <p className="lead-p">
        <Link href={screens.links}>{words.noPage.home}</Link>
      </p>
    </main>
  );
}

/** Over the page, which keeps what was typed. */
export function SessionEnded() {
  return (
    <Dialog title={words.signIn.ended} foot={null}>
      <p>{words.signIn.kept}</p>
      <SignInForm autoFocus />
    </Dialog>
  );
}

/** Says why, and lets somebody else sign in. */
export function Suspended({ error }: { error: ApiError }) {
  const leave = useLeave();
  return (
    <main className="narrow">
      <NarrowHead title={words.admin.accounts.suspended} />
      <ErrorNote error={leave.error ?? error} />
      <Button look="primary" onClick={() => leave.mutate(false)}>
        {words.settings.signOut}
      </Button>
    </main>
  );
}

export function FirstRun({ token }: { token: string }) {
  const [, go] = useLocation();
  const { error, isPending, mutate } = useSignIn(
    (form: HTMLFormElement) =>
      api.firstRun({ token, email: textIn(form, 'email'), password: textIn(form, 'password') }),
    () => go('/', { replace: true }),
  );
  return (
    <main className="narrow">
      <NarrowHead title={words.firstRun.title} />
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
    </main>
  );
}
