import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type PropsWithChildren, useEffect, useState } from 'react';
import { Link, Redirect, Route, Switch, useRoute } from 'wouter';
import { type Account, ApiError, api } from './api.ts';
import { Icon, LoadError, Mark, Skeleton } from './parts.tsx';
import { Keys } from './screens/keys.tsx';
import { LinkDetail } from './screens/link-detail.tsx';
import { Links } from './screens/links.tsx';
import { Settings } from './screens/settings.tsx';
import { FirstRun, SessionEnded, SignIn } from './screens/sign-in.tsx';
import { Usage } from './screens/usage.tsx';
import { words } from './words.ts';

const isSignedOut = (error: unknown) => error instanceof ApiError && error.status === 401;

/** Whether a request was refused since the last sign-in: the session ended in the middle of work. */
function useSessionEnded(): boolean {
  const queries = useQueryClient();
  const [ended, setEnded] = useState(false);
  useEffect(() => {
    const look = (error: unknown) => isSignedOut(error) && setEnded(true);
    const stops = [
      queries.getQueryCache().subscribe((event) => {
        if (event.type !== 'updated') return;
        if (event.action.type === 'error') look(event.action.error);
        if (event.action.type === 'success' && event.query.queryKey[0] === 'account') setEnded(false);
      }),
      queries.getMutationCache().subscribe((event) => {
        if (event.type !== 'updated' || event.action.type !== 'error') return;
        if (event.mutation.options.mutationKey?.[0] !== 'sign-in') look(event.action.error);
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [queries]);
  return ended;
}

export function App() {
  const [isFirstRun, first] = useRoute('/first-run/:token');
  const account = useQuery({
    queryKey: ['account'],
    queryFn: api.account,
    enabled: !isFirstRun,
    refetchInterval: 60_000,
  });
  const ended = useSessionEnded();
  if (isFirstRun) return <FirstRun token={first.token} />;
  if (account.data === undefined) {
    if (isSignedOut(account.error)) return <SignIn />;
    if (account.error) return <LoadError error={account.error} retry={() => account.refetch()} />;
    return <Skeleton rows={3} />;
  }
  return (
    <Frame account={account.data}>
      <Switch>
        <Route path="/">
          <Links account={account.data} />
        </Route>
        <Route path="/links/:slug">{({ slug }) => <LinkDetail slug={slug} account={account.data} />}</Route>
        <Route path="/keys">
          <Keys />
        </Route>
        <Route path="/usage">
          <Usage account={account.data} />
        </Route>
        <Route path="/settings">
          <Settings account={account.data} />
        </Route>
        <Redirect to="/" replace />
      </Switch>
      {ended && <SessionEnded />}
    </Frame>
  );
}

const SCREENS = [
  ['/', words.nav.links, 'link'],
  ['/keys', words.nav.keys, 'key'],
  ['/usage', words.nav.usage, 'usage'],
  ['/settings', words.nav.settings, 'settings'],
] as const;

function Frame({ account, children }: PropsWithChildren<{ account: Account }>) {
  const { limit, used } = account.quota;
  return (
    <>
      <a className="skip" href="#main">
        {words.skip}
      </a>
      <header className="bar">
        <div className="bar-in">
          <Link className="brand" href="/" aria-label={words.nav.home}>
            <Mark />
            Waypost
          </Link>
          <nav className="nav" aria-label={words.nav.main}>
            {SCREENS.map(([path, name, icon]) => (
              <Screen key={path} path={path} name={name} icon={icon} />
            ))}
            <a href="/docs">{words.nav.docs}</a>
          </nav>
          <span className="grow" />
          <Link className="quota count-left" href="/usage">
            {words.left(Math.max(0, limit - used), limit)}
          </Link>
        </div>
      </header>
      <main id="main">{children}</main>
    </>
  );
}

function Screen({ path, name, icon }: { path: string; name: string; icon: 'link' | 'key' | 'usage' | 'settings' }) {
  const [here] = useRoute(path);
  return (
    <Link href={path} aria-current={here ? 'page' : undefined}>
      <Icon name={icon} />
      {name}
    </Link>
  );
}
