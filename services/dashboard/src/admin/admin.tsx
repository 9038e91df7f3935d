import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import type { Account } from '../api.ts';
import { useUrlState } from '../hooks/url-state.ts';
import { Keys } from '../keys/keys.tsx';
import screens from '../screens.json' with { type: 'json' };
import Security from '../security/security.tsx';
import { words } from '../words.ts';
import { Accounts } from './accounts.tsx';
import { AnyLink, FindLink } from './any-link.tsx';
import { Audit } from './audit.tsx';
import { Cases } from './cases.tsx';
import { Feeds } from './feeds.tsx';
import { Health } from './health.tsx';
import { OpenCases } from './open-cases.tsx';

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
  const [param] = useUrlState();
  return (
    <>
      <nav className="seg tabs" aria-label={words.nav.admin}>
        {TABS.map(([path, name]) => {
          const here =
            where === path ||
            (path === screens.anyLinks && where.startsWith(`${path}/`)) ||
            (path === screens.accounts && (where === screens.accountKeys || where === screens.accountSecurity));
          return (
            <Link key={path} href={path} aria-current={here ? 'page' : undefined}>
              {name}
              {path === screens.cases && <OpenCases />}
            </Link>
          );
        })}
      </nav>
      <Switch>
        <Route path={screens.accounts}>
          <Accounts ownEmail={account.email} />
        </Route>
        <Route path={screens.accountKeys}>
          <Keys of={param('account')} />
        </Route>
        <Route path={screens.accountSecurity}>
          <Security of={param('account')} />
        </Route>
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
