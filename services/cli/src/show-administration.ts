/** What administrators read, for a person. */
import { safeText } from '@waypost/command-line';
import type {
  AccountDetails,
  AccountLimit,
  AccountPage,
  AuditPage,
  Case,
  CasePage,
  CreatedAccount,
  DeletedAccount,
  InspectedLink,
  Readiness,
  ThreatFeedList,
} from '@waypost/sdk';
import { fields, type Look, minute, nextPage, pageOf, showLink, table } from './show.ts';

export function showAccounts({ data, ...page }: AccountPage, look: Look): string {
  const rows = data.map((account) => [
    minute(account.created_at),
    account.creations_per_hour === null ? 'default' : String(account.creations_per_hour),
    account.suspended_at === null ? '' : minute(account.suspended_at),
    account.admin ? 'yes' : '',
    account.email,
  ]);
  const header = ['CREATED (UTC)', 'LINKS PER HOUR', 'SUSPENDED (UTC)', 'ADMIN', 'E-MAIL'];
  return pageOf(page, 'account', header, rows, look);
}

export function showCreatedAccount({ id, email, admin, sign_in_url }: CreatedAccount, look: Look): string {
  return fields(
    [
      ['account', email],
      ['id', id],
      ['administrator', admin ? 'yes' : 'no'],
      ['sign in', sign_in_url === null ? undefined : `once, within an hour: ${sign_in_url}`],
    ],
    look,
  );
}

export function showSuspension({ email, suspended_at, suspension_reason }: AccountDetails): string {
  if (suspended_at === null) return `${safeText(email)} is not suspended.`;
  return `${safeText(email)} is suspended: ${safeText(suspension_reason ?? '')}\nIts keys and sessions are refused; its links stay as they are.`;
}

export const showDeletedAccount = ({ email }: DeletedAccount) =>
  `${safeText(email)} is deleted. Its links stop within seconds, their clicks are deleted within the hour.`;

export function showFeeds({ data }: ThreatFeedList, look: Look): string {
  if (data.length === 0) return 'No feeds.';
  const rows = data.map(({ name, entries, updated_at, stale, last_error }) => [
    name,
    String(entries),
    updated_at === null ? 'never' : minute(updated_at),
    stale ? 'yes' : '',
    last_error ?? '',
  ]);
  return table(['FEED', 'ENTRIES', 'UPDATED (UTC)', 'STALE', 'LAST ERROR'], rows, look);
}

export const showLimit = ({ email, creations_per_hour }: AccountLimit) =>
  `${safeText(email)} may create ${creations_per_hour ?? 'the default number of'} links per hour.`;

export function showInspected({ link, owner, verdicts }: InspectedLink, look: Look) {
  const rows = verdicts.map(({ at, outcome, threat_type, reasons }) => [
    minute(at),
    outcome,
    threat_type ?? '',
    reasons.map(({ rule, evidence }) => `${rule}: ${evidence}`).join('; '),
  ]);
  return [
    showLink(link, look),
    fields([['owner', owner]], look),
    ...(rows.length === 0 ? [] : ['', table(['AT (UTC)', 'OUTCOME', 'THREAT', 'WHY'], rows, look)]),
  ].join('\n');
}

export function showCases({ data, next }: CasePage, look: Look): string {
  if (data.length === 0) return 'No cases.';
  const rows = data.map((one) => [
    one.number,
    one.kind,
    one.state,
    one.slug,
    minute(one.created_at),
    one.category ?? '',
    one.message,
  ]);
  const header = ['NUMBER', 'KIND', 'STATE', 'SLUG', 'CREATED (UTC)', 'CATEGORY', 'MESSAGE'];
  return [table(header, rows, look), ...nextPage(next)].join('\n');
}

export const showCase = ({ number, kind, slug, state, reason }: Case, look: Look) =>
  fields(
    [
      ['case', number],
      ['kind', kind],
      ['slug', slug],
      ['state', state],
      ['reason', reason ?? ''],
    ],
    look,
  );

export function showAudit({ data, next }: AuditPage, look: Look): string {
  if (data.length === 0) return 'No entries.';
  const rows = data.map(({ at, actor, action, outcome, subject, detail }) => [
    minute(at),
    actor,
    outcome === 'done' ? action : `${action} (${outcome})`,
    subject,
    detail,
  ]);
  return [table(['AT (UTC)', 'ACTOR', 'ACTION', 'SUBJECT', 'DETAIL'], rows, look), ...nextPage(next)].join('\n');
}

export function showReadiness({ status, dependencies }: Readiness, look: Look): string {
  const rows = Object.entries(dependencies).map(([name, { ok }]) => [name, ok ? 'ok' : 'NOT OK'] as const);
  return fields([...rows, ['all in all', status === 'ready' ? 'ready' : 'NOT READY']], look);
}
