/** Shows answers as text. Every part of an answer passes `safeText` before it reaches the terminal. */
import { safeText } from '@waypost/command-line';
import type {
  Analytics,
  ApiKeyList,
  Checked,
  CheckedLink,
  CheckedMany,
  Created,
  CreatedApiKey,
  CreatedMany,
  CreatedWebhook,
  DeletedApiKey,
  Link,
  LinkPage,
  LinkScan,
  Overview,
  RotatedWebhook,
  UrlCheck,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookEndpoint,
  WebhookList,
} from '@waypost/sdk';
import type pc from 'picocolors';
import stringWidth from 'string-width';

export interface Look {
  /** Undefined if stdout is a file or a pipe: then tables are lines of tab-separated values, without words. */
  readonly columns: number | undefined;
  readonly paint: ReturnType<typeof pc.createColors>;
}

const NOT_YET = '(set at creation)';

export const flaggedWords = ({ warning }: Created | Checked): string | undefined =>
  warning && `Created, but the link does not redirect. ${safeText(warning.message)}`;

export function showCreated(created: Created | Checked, dryRun: boolean, look: Look): string {
  const { link, short_url, warning } = created;
  if (look.columns === undefined) return safeText(short_url ?? '');
  const { slug: _slug, ...others } = linkFields(link);
  const lines = [
    ...(dryRun ? ['Dry run: nothing was created.'] : []),
    fields({ 'short URL': short_url ?? NOT_YET, ...others }, look),
    ...(dryRun && warning !== undefined ? ['The link would be flagged and would not redirect.'] : []),
  ];
  return lines.join('\n');
}

export function showCreatedMany(
  { links, total_created, warnings = [] }: CreatedMany | CheckedMany,
  dryRun: boolean,
  look: Look,
): string {
  const rows = links.map(({ link, short_url }) => ({
    'SHORT URL': short_url ?? NOT_YET,
    STATUS: statusOf(link),
    DESTINATION: link.destination_url,
  }));
  const flagged = warnings.length;
  return withWords(look, table(rows, look), [
    '',
    dryRun
      ? `Dry run: nothing was created. Links that would be created: ${links.length}.`
      : `${amountOf(total_created, 'link')} created.`,
    ...(flagged === 0
      ? []
      : [
          `${flagged} of them ${dryRun ? 'would be flagged and would not redirect.' : 'are flagged and do not redirect.'}`,
        ]),
  ]);
}

export type LinkRows = Omit<LinkPage, 'data'> & { readonly data: readonly (Link & { readonly clicks?: number })[] };

export function showLinks({ data, ...page }: LinkRows, look: Look): string {
  // The columns in a pipe are always the same.
  const hasTitles = look.columns !== undefined && data.some(({ title }) => title !== null);
  const rows = data.map((link) => ({
    SLUG: link.slug,
    STATUS: statusOf(link),
    'CREATED (UTC)': minute(link.created_at),
    ...(hasTitles && { TITLE: cutTo(safeText(link.title ?? ''), 24) }),
    TAGS: cutTo(safeText(link.tags.join(', ')), 24),
    ...(link.clicks !== undefined && { CLICKS: String(link.clicks) }),
    DESTINATION: link.destination_url,
  }));
  return pageOf(page, 'link', rows, look);
}

export function showKeys({ data, limit }: ApiKeyList, look: Look): string {
  const rows = data.map(({ id, scopes, last_used_at, expires_at, name }) => ({
    ID: id,
    SCOPES: scopes.join(', '),
    'LAST USED (UTC)': last_used_at === null ? 'never' : minute(last_used_at),
    'EXPIRES (UTC)': expires_at === null ? 'never' : minute(expires_at),
    NAME: name,
  }));
  return withWords(look, table(rows, look), [
    '',
    data.length === 0 ? 'No keys.' : `${amountOf(data.length, 'key')} of ${limit}.`,
  ]);
}

export function showCreatedKey({ id, key, name, scopes, expires_at }: CreatedApiKey, look: Look): string {
  const expires = expires_at === null ? 'never' : `${minute(expires_at)} UTC`;
  return withWords(look, fields({ key, id, name, scopes: scopes.join(', '), expires }, look), [
    'Store the key now. It is not shown again.',
  ]);
}

export function showDeletedKey({ webhooks }: DeletedApiKey): string {
  const on = webhooks.filter(({ enabled }) => enabled);
  return [
    'The key is deleted and no longer works.',
    ...(on.length > 0
      ? ['Webhooks created or changed with this key still work. To delete one: waypost webhooks delete ID']
      : []),
    ...webhooks.map(({ id, url, enabled }) => `  ${id}  ${enabled ? 'on ' : 'off'}  ${safeText(url)}`),
  ].join('\n');
}

export function showLink(link: Link, look: Look): string {
  return fields(linkFields(link), look);
}

function linkFields(link: Link | CheckedLink) {
  return {
    slug: link.slug ?? NOT_YET,
    title: link.title ?? undefined,
    destination: link.destination_url,
    status: statusOf(link),
    tags: link.tags.length === 0 ? undefined : link.tags.join(', '),
    note: link.note ?? undefined,
    created: `${minute(link.created_at)} UTC`,
    ends: link.ends_at ? `${minute(link.ends_at)} UTC` : undefined,
    'taken down': link.take_down_reason ?? undefined,
    revoked: link.revoked_at === null ? undefined : `${minute(link.revoked_at)} UTC`,
  };
}

function statusOf({ status, threat_type }: Link | CheckedLink): string {
  return threat_type === null ? status : `${status} (${threat_type.replaceAll('_', ' ')})`;
}

const BAR_COLUMNS = 30;

export function showAnalytics({ slug, ...figures }: Analytics, look: Look): string {
  return showFigures(figures, look, { slug });
}

export function showOverview({ previous, links, top_links, ...figures }: Overview, look: Look): string {
  const before = previous && [
    change(previous.total_clicks, 'click', figures.total_clicks),
    change(previous.unique_visitors, 'visitor', figures.unique_visitors),
  ];
  const more = {
    before: before?.join(', '),
    links: `${links.created} created, ${links.flagged} flagged, ${links.revoked} revoked`,
  };
  return showFigures(figures, look, more, top_links);
}

/** Returns, for example, `35 clicks (now +20%)`. */
function change(before: number, noun: string, now: number): string {
  if (before === 0) return amountOf(before, noun);
  const change = new Intl.NumberFormat('en', { style: 'percent', signDisplay: 'exceptZero' });
  return `${amountOf(before, noun)} (now ${change.format(now / before - 1)})`;
}

function showFigures(
  analytics: Omit<Analytics, 'slug'>,
  look: Look,
  { slug, ...more }: Readonly<Record<string, string | undefined>>,
  links: Overview['top_links'] = [],
): string {
  const { period, total_clicks, unique_visitors, bot_clicks, time_series } = analytics;
  const most = Math.max(1, ...time_series.map(({ clicks }) => clicks));
  const isPlain = look.columns === undefined;
  const days = time_series.map(({ date, clicks }) => [
    date,
    String(clicks),
    ...(isPlain ? [] : ['█'.repeat(Math.ceil((clicks / most) * BAR_COLUMNS))]),
  ]);
  const bots = bot_clicks === 0 ? '' : `, including ${bot_clicks} by bots`;
  const numbers = (rows: string[][]) => grid(rows, look, [1]);
  const top = <Of extends string>(
    title: string,
    rows: readonly (Readonly<Record<Of, string>> & { readonly count: number })[],
    of: Of,
  ) => {
    const each = rows.map((row) => [isPlain ? title : '', String(row.count), row[of]]);
    return rows.length === 0 ? [] : [...(isPlain ? [] : ['', title]), numbers(each)];
  };
  const figures = {
    slug,
    period: `${period} (UTC days, including today)`,
    clicks: `${total_clicks}${bots}`,
    visitors: String(unique_visitors),
    ...more,
    trend: isPlain ? undefined : sparkline(time_series.map(({ clicks }) => clicks / most)),
  };
  return [
    fields(figures, look),
    ...(isPlain ? [] : ['']),
    numbers(days),
    ...top(
      'Links',
      links.map(({ slug, title, clicks }) => ({
        link: isPlain || title === null ? slug : `${slug}  ${title}`,
        count: clicks,
      })),
      'link',
    ),
    ...top('Referrers', analytics.top_referrers, 'referrer'),
    ...top('Countries', analytics.top_countries, 'country'),
    ...top('Devices', analytics.top_devices, 'device'),
    ...top('Browsers', analytics.top_browsers, 'browser'),
  ].join('\n');
}

export function showWebhooks({ data, limit }: WebhookList, look: Look): string {
  const rows = data.map((webhook) => ({
    ID: webhook.id,
    STATE: webhook.enabled ? 'enabled' : `disabled (${webhook.disabled_reason})`,
    'FAILING SINCE': webhook.failing_since === null ? '' : minute(webhook.failing_since),
    EVENTS: webhook.events.join(', '),
    URL: webhook.url,
  }));
  const count = data.length === 0 ? 'No webhooks.' : `${amountOf(data.length, 'webhook')} of ${limit}.`;
  return withWords(look, table(rows, look), ['', count]);
}

export function showWebhook({ id, url, events, secret }: CreatedWebhook | RotatedWebhook, look: Look): string {
  return withWords(look, fields({ id, url, events: events.join(', '), secret }, look), [
    'Store the secret now. It is not shown again.',
  ]);
}

export function showDeliveries({ data, next }: WebhookDeliveryPage, look: Look): string {
  const rows = data.map((delivery) => ({
    ID: delivery.id,
    TYPE: delivery.type,
    STATE: delivery.state,
    'CREATED (UTC)': minute(delivery.created_at),
    ATTEMPTS: String(delivery.attempts),
    'LAST ERROR': delivery.last_error ?? '',
  }));
  return withWords(look, table(rows, look), nextPage(next, rows, 'deliveries'));
}

export function showEndpoint(webhook: WebhookEndpoint, look: Look): string {
  const { id, url, events, enabled, disabled_reason, disabled_at, failing_since, created_at } = webhook;
  const disabled = `disabled since ${minute(disabled_at ?? '')} UTC (${disabled_reason})`;
  const rows = {
    id,
    url,
    events: events.join(', '),
    state: enabled ? 'enabled' : disabled,
    'failing since': failing_since === null ? undefined : `${minute(failing_since)} UTC`,
    created: `${minute(created_at)} UTC`,
  };
  return fields(rows, look);
}

export function showScan({ scanned_at, generation, outcome, threat_type, reasons, history }: LinkScan, look: Look) {
  const verdict = {
    outcome: threat_type === null ? outcome : `${outcome} (${threat_type.replaceAll('_', ' ')})`,
    scanned: `${minute(scanned_at)} UTC, generation ${generation}`,
    why: reasons.length === 0 ? undefined : why(reasons),
  };
  return [fields(verdict, look), ...showVerdicts(history, look)].join('\n');
}

/** A paragraph for each address; in a pipe, a line. */
export function showChecks(checks: readonly UrlCheck[], look: Look): string {
  if (look.columns === undefined) {
    const rows = checks.map(({ outcome, threat_type, url, reasons }) => [
      outcome,
      threat_type ?? '',
      url,
      why(reasons),
    ]);
    return grid(rows, look);
  }
  const paragraphs = checks.map(({ url, outcome, message, reasons }) =>
    fields({ url, outcome, means: message, why: reasons.length === 0 ? undefined : why(reasons) }, look),
  );
  return paragraphs.join('\n\n');
}

const why = (reasons: LinkScan['reasons']) => reasons.map(({ rule, evidence }) => `${rule}: ${evidence}`).join('; ');

/** The lines of the table, after an empty one on a terminal. None without verdicts. */
export function showVerdicts(verdicts: LinkScan['history'], look: Look): string[] {
  const rows = verdicts.map(({ at, source, outcome, threat_type, reasons }) => ({
    'AT (UTC)': minute(at),
    BY: source.replaceAll('_', ' '),
    OUTCOME: outcome,
    THREAT: threat_type ?? '',
    WHY: why(reasons),
  }));
  if (rows.length === 0) return [];
  return [...(look.columns === undefined ? [] : ['']), table(rows, look)];
}

export function showDelivery({ id, type, state }: WebhookDelivery, look: Look): string {
  return fields({ delivery: id, type, state }, look);
}

const sparkline = (shares: readonly number[]) => shares.map((share) => '▁▂▃▄▅▆▇█'[Math.ceil(share * 7)]).join('');

function amountOf(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`}`;
}

/** Changes `2026-11-21T12:30:05.123Z` to `2026-11-21 12:30`. */
export function minute(timestamp: string): string {
  return timestamp.slice(0, 16).replace('T', ' ');
}

export function fields(values: Readonly<Record<string, string | undefined>>, look: Look): string {
  const rows = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return grid(rows, look);
}

type Rows = readonly Readonly<Record<string, string>>[];

/** The names of the columns are for a terminal only. */
export function table(rows: Rows, look: Look): string {
  if (rows.length === 0) return '';
  const names = look.columns === undefined ? [] : [Object.keys(rows[0]!)];
  return grid([...names, ...rows.map((row) => Object.values(row))], look, [], look.columns);
}

/** A reader of a pipe wants the values alone. */
export function withWords({ columns }: Look, values: string, words: readonly string[]): string {
  if (columns === undefined) return values;
  return values === '' ? words.filter((each) => each !== '').join('\n') : [values, ...words].join('\n');
}

export function pageOf(
  { total, page, total_pages: pages }: Pick<LinkPage, 'total' | 'page' | 'total_pages'>,
  noun: string,
  rows: Rows,
  look: Look,
): string {
  const next = page < pages ? ` Next: --page ${page + 1}` : '';
  const none = total === 0 ? `No ${noun}s.` : `Page ${page} does not exist. The last page is ${pages}.`;
  const words = rows.length === 0 ? none : `Page ${page} of ${pages}, ${amountOf(total, noun)} in all.${next}`;
  return withWords(look, table(rows, look), ['', words]);
}

export function nextPage(next: string | null, rows: Rows, noun: string): string[] {
  if (rows.length === 0) return [`No ${noun}.`];
  return next === null ? [] : ['', `Next: --before ${safeText(next)}`];
}

/** Escapes and aligns cells. `right` lists the columns of numbers. The last column is cut to fit `columns`. */
function grid(
  rows: readonly (readonly string[])[],
  { paint, columns: terminal }: Look,
  right: readonly number[] = [],
  columns?: number,
): string {
  const cells = rows.map((row) => row.map(safeText));
  if (terminal === undefined) return cells.map((row) => row.join('\t')).join('\n');
  const widths = (cells[0] ?? []).map((_cell, i) => Math.max(...cells.map((row) => stringWidth(row[i] ?? ''))));
  const last = widths.length - 1;
  const room =
    columns === undefined ? undefined : columns - widths.slice(0, last).reduce((sum, width) => sum + width + 2, 0);
  const aligned = (cell: string, i: number) => {
    if (i === last && !right.includes(i)) return painted(room === undefined ? cell : cutTo(cell, room), paint);
    const space = ' '.repeat(widths[i]! - stringWidth(cell));
    return right.includes(i) ? space + cell : painted(cell, paint) + space;
  };
  return cells.map((row) => row.map(aligned).join('  ').trimEnd()).join('\n');
}

function painted(cell: string, paint: Look['paint']): string {
  const [status] = /^(active|flagged|revoked)\b/.exec(cell) ?? [];
  if (status === 'active') return paint.green(cell);
  if (status === 'flagged') return paint.yellow(cell);
  if (status === 'revoked') return paint.red(cell);
  return /^[▁-█]+$/.test(cell) ? paint.cyan(cell) : cell;
}

/** Cuts the end of the text, because a URL's host is its most important part. */
function cutTo(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text;
  let cut = '';
  for (const char of text) {
    if (stringWidth(cut + char) > columns - 1) break;
    cut += char;
  }
  return `${cut}…`;
}
