import { useQuery } from '@tanstack/react-query';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import { type Account, waypost } from '../api.ts';
import { useAsked } from '../asked.ts';
import { Awaited } from '../loaded.tsx';
import { Badge, Head } from '../parts.tsx';
import screens from '../screens.json';
import { words } from '../words.ts';
import { Accounts } from './admin-accounts.tsx';
import { Audit } from './admin-audit.tsx';
import { Cases } from './admin-cases.tsx';
import { Feeds } from './admin-feeds.tsx';
import { AnyLink, FindLink } from './admin-link.tsx';
import { Keys } from './keys.tsx';

const TABS = [
  [screens.accounts, words.admin.accounts.title],
  [screens.cases, words.admin.cases.title],
  [screens.anyLinks, words.admin.link.title],
  [screens.feeds, words.admin.feeds.title],
  [screens.audit, words.admin.audit.title],
  [screens.health, words.admin.health.title],
] as const;

export default function Admin({ account }: { account: Account }) {
  const [where] = useLocation();
  return (
    <>
      <nav className="seg tabs" aria-label={words.nav.admin}>
        {TABS.map(([path, name]) => {
          const here =
            where === path ||
            (path === screens.anyLinks && where.startsWith(`${path}/`)) ||
            (path === screens.accounts && where === screens.accountKeys);
          return (
            <Link key={path} href={path} aria-current={here ? 'page' : undefined}>
              {name}
            </Link>
          );
        })}
      </nav>
      <Switch>
        <Route path={screens.accounts}>
          <Accounts own={account.email} />
        </Route>
        <Route path={screens.accountKeys} component={AccountKeys} />
        <Route path={screens.cases} component={Cases} />
        <Route path={screens.anyLinks} component={FindLink} />
        <Route<{ slug: string }> path={screens.anyLink}>
          {({ slug }) => <AnyLink slug={slug} base={account.redirect_base_url} />}
        </Route>
        <Route path={screens.feeds} component={Feeds} />
        <Route path={screens.audit} component={Audit} />
        <Route path={screens.health} component={Health} />
        <Redirect to={screens.accounts} replace />
      </Switch>
    </>
  );
}

/** The address bar names the account. */
function AccountKeys() {
  const [asked] = useAsked();
  return <Keys of={asked('account')} />;
}

/** What everybody may read. */
function Health() {
  const health = useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => waypost.readiness({ signal }),
    refetchInterval: 10_000,
  });
  const { health: said } = words.admin;
  return (
    <>
      <Head title={said.title} />
      {health.data === undefined ? (
        <div className="card">
          <Awaited query={health} rows={4} />
        </div>
      ) : (
        <>
          <p className={`note ${health.data.status === 'ready' ? 'good' : 'flag'}`}>
            {health.data.status === 'ready' ? said.ready : said.notReady}
          </p>
          <div className="card lead-p">
            <table className="tbl flat">
              <caption className="sr">{said.title}</caption>
              <thead>
                <tr>
                  <th>{said.part}</th>
                  <th className="w-state">{words.links.status}</th>
                </tr>
              </thead>
              <tbody>
                {Object.entries(health.data.dependencies).map(([name, { ok }]) => (
                  <tr key={name}>
                    <td>
                      <b>{name}</b>
                    </td>
                    <td className="w-state">
                      <Badge look={ok ? 'active' : 'flagged'}>{ok ? said.well : said.away}</Badge>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </>
  );
}
