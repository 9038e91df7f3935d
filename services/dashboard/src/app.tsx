import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Component, lazy, type PropsWithChildren, Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { Link, matchRoute, Redirect, Route, Switch, useLocation, useRoute, useRouter } from 'wouter';
import { type Account, ApiError, api, isSignedOut, waypost } from './api.ts';
import { useFocusKept } from './focus.ts';
import { Awaited } from './loaded.tsx';
import { Icon, LoadError, Mark, Skeleton, Title } from './parts.tsx';
import { Keys } from './screens/keys.tsx';
import { Links } from './screens/links.tsx';
import { Settings } from './screens/settings.tsx';
import { FirstRun, NoSuchPage, SessionEnded, SignIn, Suspended } from './screens/sign-in.tsx';
import { Usage } from './screens/usage.tsx';
import screens from './screens.json';
import { fill, words } from './words.ts';

const LinkDetail = lazy(() => import('./screens/link-detail.tsx'));
const Many = lazy(() => import('./screens/many.tsx'));
const Webhooks = lazy(() => import('./screens/webhooks.tsx'));
const WebhookDetail = lazy(() => import('./screens/webhook-detail.tsx'));
const Admin = lazy(() => import('./screens/admin.tsx'));

const signedOut = () => new ApiError('', { code: 'unauthorized', status: 401 });
const isSuspended = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 403;

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

/** As the server knows it: for any other address its status is 404. */
function useIsScreen(): boolean {
  const { parser } = useRouter();
  const [where] = useLocation();
  return Object.values(screens).some((path) => matchRoute(parser, path, where)[0]);
}

export function App() {
  const isScreen = useIsScreen();
  const [isFirstRun, first] = useRoute<{ token: string }>(screens.firstRun);
  const account = useQuery({
    queryKey: ['account'],
    queryFn: async ({ signal, client }) => {
      // Whoever is signed out made no mistake, and a refused request stands among the errors of the browser.
      if (client.getQueryData(['account']) === undefined && !(await api.isSignedIn())) throw signedOut();
      return waypost.account({ signal });
    },
    enabled: isScreen && !isFirstRun,
    // Without an answer, until there is one.
    refetchInterval: ({ state: { error } }) => (error === null || isSignedOut(error) ? 60_000 : 5_000),
  });
  const ended = useSessionEnded();
  const [where] = useLocation();
  if (!isScreen) return <NoSuchPage />;
  if (isFirstRun) return <FirstRun token={first.token} />;
  if (account.data === undefined) {
    if (isSignedOut(account.error)) return <SignIn />;
    return isSuspended(account.error) ? <Suspended error={account.error} /> : <Awaited query={account} rows={3} />;
  }
  return (
    <Frame account={account.data} error={account.error}>
      <Boundary key={where}>
        <Suspense fallback={<Skeleton rows={6} />}>
          <Switch>
            <Route path={screens.links}>
              <Links account={account.data} />
            </Route>
            <Route path={screens.many}>
              <Many account={account.data} />
            </Route>
            <Route<{ slug: string }> path={screens.link}>
              {({ slug }) => <LinkDetail slug={slug} account={account.data} />}
            </Route>
            <Route path={screens.keys}>
              <Keys />
            </Route>
            <Route path={screens.webhooks} component={Webhooks} />
            <Route<{ id: string }> path={screens.webhook}>{({ id }) => <WebhookDetail id={id} />}</Route>
            <Route path={screens.usage}>
              <Usage account={account.data} />
            </Route>
            <Route path={screens.settings}>
              <Settings account={account.data} />
            </Route>
            <Route path={`${screens.accounts}/*?`}>
              {account.data.admin ? <Admin account={account.data} /> : <AdminsOnly />}
            </Route>
            <Redirect to={screens.links} replace />
          </Switch>
        </Suspense>
      </Boundary>
      {ended && <SessionEnded />}
    </Frame>
  );
}

/** A part that does not come (a newer Waypost has others) or fails: the rest of the page stays. */
class Boundary extends Component<PropsWithChildren, { readonly error: Error | undefined }> {
  override state: { readonly error: Error | undefined } = { error: undefined };
  static getDerivedStateFromError(error: Error) {
    return { error };
  }
  override render() {
    const { error } = this.state;
    return error === undefined ? this.props.children : <LoadError error={error} retry={() => location.reload()} />;
  }
}

const NAVIGATION = [
  [screens.links, words.links.title, 'link'],
  [screens.keys, words.keys.title, 'key'],
  [screens.webhooks, words.webhooks.title, 'webhook'],
  [screens.usage, words.usage.title, 'usage'],
  [screens.settings, words.settings.title, 'settings'],
] as const;
const ADMIN = [screens.accounts, words.nav.admin, 'admin'] as const;

function AdminsOnly() {
  return (
    <div className="empty">
      <Title>{words.admin.only}</Title>
      <p>{words.admin.onlyWhy}</p>
    </div>
  );
}

interface FrameProps {
  readonly account: Account;
  /** Of the last look at the account. */
  readonly error: Error | null;
}

function Frame({ account, error, children }: PropsWithChildren<FrameProps>) {
  const { limit, used } = account.quota;
  useFocusKept();
  return (
    <>
      <a className="skip" href="#main">
        {words.skip}
      </a>
      <header className="bar">
        <div className="bar-in">
          <Link className="brand" href={screens.links} aria-label={words.nav.home}>
            <Mark />
            Waypost
          </Link>
          <nav className="nav" aria-label={words.nav.main}>
            {[...NAVIGATION, ...(account.admin ? [ADMIN] : [])].map(([path, name, icon]) => (
              <Screen key={path} path={path} name={name} icon={icon} />
            ))}
            <a href="/docs">
              <Icon name="book" />
              {words.nav.docs}
            </a>
          </nav>
          <span className="grow" />
          <Link className="quota count-left" href={screens.usage}>
            <span className="meter" aria-hidden="true">
              <i style={{ width: `${limit === 0 ? 100 : Math.min(100, (100 * used) / limit)}%` }} />
            </span>
            {fill(words.left, { left: Math.max(0, limit - used) })}
            <span className="sr">{fill(words.leftOf, { limit })}</span>
          </Link>
        </div>
        <Away error={error} />
      </header>
      <main id="main">{children}</main>
    </>
  );
}

const onNetwork = (changed: () => void) => {
  addEventListener('online', changed);
  addEventListener('offline', changed);
  return () => {
    removeEventListener('online', changed);
    removeEventListener('offline', changed);
  };
};

/** Over every screen, until the network is back. */
function Away({ error }: Pick<FrameProps, 'error'>) {
  const isOnline = useSyncExternalStore(onNetwork, () => navigator.onLine);
  const isSilent = error instanceof ApiError && error.status === 0;
  return (
    <div className="away" role="status">
      {isOnline ? isSilent && words.away.server : words.away.device}
    </div>
  );
}

interface ScreenProps {
  readonly path: string;
  readonly name: string;
  readonly icon: (typeof NAVIGATION | readonly [typeof ADMIN])[number][2];
}

function Screen({ path, name, icon }: ScreenProps) {
  const [where] = useLocation();
  const here = where === path || (path !== screens.links && where.startsWith(`${path}/`));
  return (
    <Link href={path} aria-current={here ? 'page' : undefined}>
      <Icon name={icon} />
      {name}
    </Link>
  );
}
