import { safeText } from '@waypost/command-line';
import type {
  AccountCredentials,
  AccountDetails,
  AccountLimit,
  AccountPage,
  AuditPage,
  Case,
  CaseCount,
  CasePage,
  CreatedAccount,
  DeletedAccount,
  InspectedLink,
  Readiness,
  ThreatFeedList,
} from '@waypost/sdk';
import { fields, type Look, minute, nextPage, pageOf, showLink, showVerdicts, table, withWords } from './show.ts';

export function showAccounts({ data, ...page }: AccountPage, look: Look): string {
  const rows = data.map((account) => ({
    'CREATED (UTC)': minute(account.created_at),
    'LINKS PER HOUR': account.creations_per_hour === null ? 'default' : String(account.creations_per_hour),
    'SUSPENDED (UTC)': account.suspended_at === null ? '' : minute(account.suspended_at),
    ADMIN: account.admin ? 'yes' : '',
    'E-MAIL': account.email,
  }));
  return pageOf(page, 'account', rows, look);
}

export function showCreatedAccount({ id, email, admin, sign_in_url }: CreatedAccount, look: Look): string {
  const signIn = sign_in_url === null ? undefined : `${sign_in_url} (valid once, for one hour)`;
  return fields({ account: email, id, administrator: admin ? 'yes' : 'no', 'sign in': signIn }, look);
}

export function showSuspension({ email, suspended_at, suspension_reason }: AccountDetails): string {
  if (suspended_at === null) return `${safeText(email)} is not suspended.`;
  return `${safeText(email)} is suspended: ${safeText(suspension_reason ?? '')}\nIts keys and sessions are refused. Its links are unchanged.`;
}

export function showCredentials({ email, has_password, ...all }: AccountCredentials, look: Look): string {
  const row = (kind: string, id: string, added: string, what: string) => ({
    KIND: kind,
    ID: id,
    'ADDED (UTC)': minute(added),
    WHAT: what,
  });
  const rows = [
    ...all.sessions.map(({ id, browser, system, country, started_at }) =>
      row('session', id, started_at, `${browser} on ${system}, ${country}`),
    ),
    ...all.passkeys.map(({ id, name, created_at }) => row('passkey', id, created_at, name)),
    ...all.identities.map(({ id, issuer, created_at }) => row('identity', id, created_at, issuer)),
    ...all.keys.map(({ id, name, created_at }) => row('key', id, created_at, name)),
    ...all.webhooks.map(({ id, url, created_at }) => row('webhook', id, created_at, url)),
  ];
  const password = `${safeText(email)} has ${has_password ? 'a' : 'no'} password`;
  return rows.length === 0
    ? `${password} and no other credentials.`
    : `${password} and these credentials:\n\n${table(rows, look)}`;
}

export const showDeletedAccount = ({ email }: DeletedAccount) =>
  `${safeText(email)} is deleted. Its links stop within seconds. Their clicks are deleted within an hour.`;

export function showFeeds({ data }: ThreatFeedList, look: Look): string {
  const rows = data.map(({ name, entries, updated_at, stale, last_error, own_addresses, own_links }) => ({
    FEED: name,
    ENTRIES: String(entries),
    'CHANGED (UTC)': updated_at === null ? 'never' : minute(updated_at),
    STALE: stale ? 'yes' : '',
    'NAMES US': String(own_addresses.length + own_links.length || ''),
    'LAST ERROR': last_error ?? '',
  }));
  return withWords(look, table(rows, look), rows.length === 0 ? ['No feeds.'] : []);
}

export const showLimit = ({ email, creations_per_hour }: AccountLimit) =>
  `${safeText(email)} may create ${creations_per_hour ?? 'the default number of'} links per hour.`;

export function showInspected({ link, owner, verdicts }: InspectedLink, look: Look) {
  return [showLink(link, look), fields({ owner }, look), ...showVerdicts(verdicts, look)].join('\n');
}

export function showCases({ data, next }: CasePage, look: Look): string {
  const rows = data.map((row) => ({
    NUMBER: row.number,
    KIND: row.kind,
    STATE: row.state,
    SLUG: row.slug,
    'CREATED (UTC)': minute(row.created_at),
    CATEGORY: row.category ?? '',
    MESSAGE: row.message,
  }));
  return withWords(look, table(rows, look), nextPage(next, rows, 'cases'));
}

export const showCaseCount = ({ report, review }: CaseCount, look: Look) =>
  table(
    Object.entries({ report, review }).map(([KIND, { open, oldest_at: at }]) => ({
      KIND,
      OPEN: String(open),
      'OLDEST (UTC)': at === null ? '' : minute(at),
    })),
    look,
  );

export const showCase = ({ number, kind, slug, state, reason }: Case, look: Look) =>
  fields({ case: number, kind, slug, state, reason: reason ?? '' }, look);

export function showAudit({ data, next }: AuditPage, look: Look): string {
  const rows = data.map(({ at, actor, action, outcome, subject, detail }) => ({
    'AT (UTC)': minute(at),
    ACTOR: actor,
    ACTION: outcome === 'done' ? action : `${action} (${outcome})`,
    SUBJECT: subject,
    DETAIL: detail,
  }));
  return withWords(look, table(rows, look), nextPage(next, rows, 'entries'));
}

export function showReadiness({ status, dependencies }: Readiness, look: Look): string {
  const each = Object.entries(dependencies).map(([name, { ok }]) => [name, ok ? 'ok' : 'NOT OK']);
  return fields({ ...Object.fromEntries(each), overall: status === 'ready' ? 'ready' : 'NOT READY' }, look);
}
