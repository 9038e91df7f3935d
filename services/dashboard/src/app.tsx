import { useQuery } from '@tanstack/react-query';
import { Component, lazy, type PropsWithChildren, Suspense, useEffect, useRef, useSyncExternalStore } from 'react';
import { Link, matchRoute, Redirect, Route, Switch, useLocation, useRoute, useRouter } from 'wouter';
import { OpenCases } from './admin/open-cases.tsx';
import { type Account, ApiError, isSignedOut, once, waypost } from './api.ts';
import { Awaited, Icon, type IconName, LoadError, Mark, Skeleton, Title } from './components/index.ts';
import { useFocusKept } from './hooks/focus.ts';
import { Keys } from './keys/keys.tsx';
import { Links } from './links/links.tsx';
import { Home } from './overview/home.tsx';
import screens from './screens.json' with { type: 'json' };
import { NewDevices } from './security/new-devices.tsx';
import { Settings } from './settings/settings.tsx';
import { ProofProvider } from './sign-in/proof.tsx';
import { screenBefore } from './sign-in/provider.ts';
import { FirstRun, NoSuchPage, SessionEnded, SignIn, Suspended } from './sign-in/sign-in.tsx';
import { Usage } from './usage/usage.tsx';
import { fill, words } from './words.ts';

const LinkDetail = lazy(() => import('./links/link-detail.tsx'));
const Many = lazy(() => import('./bulk/bulk.tsx'));
const Sheet = lazy(() => import('./qr/sheet.tsx'));
const Webhooks = lazy(() => import('./webhooks/webhooks.tsx'));
const WebhookDetail = lazy(() => import('./webhooks/webhook-detail.tsx'));
const Security = lazy(() => import('./security/security.tsx'));
const Admin = lazy(() => import('./admin/admin.tsx'));

const signedOut = () => new ApiError('', { code: 'unauthorized', status: 401 });
const isSuspended = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 403;

/** For all other paths the server answers 404. */
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
      // The page asks first whether it is signed in, because a refused request would appear as an error in the console.
      if (client.getQueryData(['account']) === undefined && !(await once.call('getSession')).signed_in)
        throw signedOut();
      return waypost.account({ signal });
    },
    enabled: isScreen && !isFirstRun,
    // While no answer comes, the page asks more often.
    refetchInterval: ({ state: { error } }) => (error === null || isSignedOut(error) ? 60_000 : 5_000),
  });
  const [where, go] = useLocation();
  const isOther = useIsOther(account.data?.email);
  useEffect(() => {
    const back = screenBefore();
    if (back !== null && location.pathname === '/') go(back, { replace: true });
  }, [go]);
  if (!isScreen) return <NoSuchPage />;
  if (isFirstRun) return <FirstRun token={first.token} />;
  if (isOther) return null;
  if (account.data === undefined) {
    if (isSignedOut(account.error)) return <SignIn />;
    return isSuspended(account.error) ? <Suspended error={account.error} /> : <Awaited query={account} rows={3} />;
  }
  return (
    <Frame account={account.data} error={account.error}>
      <Boundary key={where}>
        <Suspense fallback={<Skeleton rows={6} />}>
          <Switch>
            <Route path={screens.overview}>
              <Home account={account.data} />
            </Route>
            <Route path={screens.links}>
              <Links account={account.data} />
            </Route>
            <Route path={screens.many}>
              <Many account={account.data} />
            </Route>
            <Route path={screens.sheet}>
              <Sheet account={account.data} />
            </Route>
            <Route<{ slug: string }> path={screens.link}>
              {({ slug }) => <LinkDetail slug={slug} account={account.data} />}
            </Route>
            <Route path={screens.keys}>
              <Keys />
            </Route>
            <Route path={screens.webhooks}>
              <Webhooks account={account.data} />
            </Route>
            <Route<{ id: string }> path={screens.webhook}>{({ id }) => <WebhookDetail id={id} />}</Route>
            <Route path={screens.usage}>
              <Usage account={account.data} />
            </Route>
            <Route path={screens.settings}>
              <Settings account={account.data} />
            </Route>
            <Route path={screens.security}>
              <Security />
            </Route>
            <Route path={`${screens.accounts}/*?`}>
              {account.data.admin ? <Admin account={account.data} /> : <AdminsOnly />}
            </Route>
            <Redirect to={screens.overview} replace />
          </Switch>
        </Suspense>
      </Boundary>
      {isSignedOut(account.error) && <SessionEnded email={account.data.email} />}
    </Frame>
  );
}

/** Another tab may sign another account in. A full page load removes the drafts and data of the first from memory. */
function useIsOther(email: string | undefined): boolean {
  const first = useRef(email);
  first.current ??= email;
  const isOther = email !== undefined && email !== first.current;
  useEffect(() => {
    if (isOther) location.reload();
  }, [isOther]);
  return isOther;
}

/** If a screen fails to load (after an update of Waypost) or to render, the rest of the page stays. */
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
  [screens.overview, words.overview.title, 'overview'],
  [screens.links, words.links.title, 'link'],
  [screens.keys, words.keys.title, 'key'],
  [screens.webhooks, words.webhooks.title, 'webhook'],
  [screens.usage, words.usage.title, 'usage'],
] as const;
const ADMIN = [screens.accounts, words.nav.admin, 'admin'] as const;
const SETTINGS = [screens.settings, words.settings.title, 'settings'] as const;

function AdminsOnly() {
  return (
    <div className="empty">
      <Title>{words.admin.only}</Title>
      <p>{words.admin.onlyWhy}</p>
    </div>
  );
}

function Frame({ account, error, children }: PropsWithChildren<{ account: Account; error: Error | null }>) {
  const { limit, used } = account.quota;
  const [where] = useLocation();
  const linkTo = ([path, name, icon]: readonly [string, string, IconName]) => (
    <Link key={path} href={path} aria-current={where === path || where.startsWith(`${path}/`) ? 'page' : undefined}>
      <Icon name={icon} />
      <span>{name}</span>
      {path === screens.accounts && <OpenCases />}
    </Link>
  );
  useFocusKept();
  return (
    <>
      <a className="skip" href="#main">
        {words.skip}
      </a>
      <header className="bar">
        <div className="bar-in">
          <Link className="brand" href={screens.overview} aria-label={words.nav.home}>
            <Mark />
            Waypost
          </Link>
          <nav className="menu" aria-label={words.nav.main}>
            <div className="nav">{[...NAVIGATION, ...(account.admin ? [ADMIN] : [])].map(linkTo)}</div>
            <div className="nav aside">
              {linkTo(SETTINGS)}
              <a href="/docs">
                <Icon name="book" />
                <span>{words.nav.docs}</span>
              </a>
            </div>
          </nav>
          <span className="grow" />
          <Link className="quota" href={screens.usage}>
            <span className="meter" aria-hidden="true">
              <i style={{ width: `${limit === 0 ? 100 : Math.min(100, (100 * used) / limit)}%` }} />
            </span>
            {fill(words.left, { remaining: Math.max(0, limit - used) })}
            <span className="sr">{fill(words.leftOf, { limit })}</span>
          </Link>
        </div>
        <Away error={error} />
      </header>
      <main id="main">
        <ProofProvider>
          <NewDevices />
          {children}
        </ProofProvider>
      </main>
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

function Away({ error }: { error: Error | null }) {
  const isOnline = useSyncExternalStore(onNetwork, () => navigator.onLine);
  const isSilent = error instanceof ApiError && error.status === 0;
  return (
    <div className="away" role="status">
      {isOnline ? isSilent && words.away.server : words.away.device}
    </div>
  );
}
