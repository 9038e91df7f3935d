/** Answers for a person. Nothing of an answer reaches the terminal but through `safeText`. */
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
  Link,
  LinkPage,
  RotatedWebhook,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookList,
} from '@waypost/sdk';
import type pc from 'picocolors';
import stringWidth from 'string-width';

export type Paint = ReturnType<typeof pc.createColors>;

const NOT_YET = '(made at creation)';

export function showCreated({ link, short_url, warning }: Created | Checked, dryRun: boolean, paint: Paint): string {
  const lines = [
    ...(dryRun ? ['Dry run: nothing was created.'] : []),
    fields([['short URL', short_url ?? NOT_YET], ...linkFields(link).slice(1)], paint),
    ...(warning === undefined ? [] : [`Made, but it will not redirect. ${safeText(warning.message)}`]),
  ];
  if (dryRun && warning !== undefined) lines[lines.length - 1] = 'It would be flagged, and would not redirect.';
  return lines.join('\n');
}

export function showCreatedMany(
  { links, total_created, warnings = [] }: CreatedMany | CheckedMany,
  dryRun: boolean,
  paint: Paint,
): string {
  const rows = links.map(({ link, short_url }) => [short_url ?? NOT_YET, statusOf(link), link.destination_url]);
  const flagged = warnings.length;
  return [
    table(['SHORT URL', 'STATUS', 'DESTINATION'], rows, undefined, paint),
    '',
    dryRun ? `Dry run: nothing was created. ${links.length} would be.` : `${counted(total_created, 'link')} created.`,
    ...(flagged === 0
      ? []
      : [
          `${flagged} of them ${dryRun ? 'would be flagged, and would not redirect.' : 'are flagged: they will not redirect.'}`,
        ]),
  ].join('\n');
}

export function showLinks(
  { data, total, page, total_pages }: LinkPage,
  columns: number | undefined,
  paint: Paint,
): string {
  if (data.length === 0) return total === 0 ? 'No links.' : `Page ${page} is past the last, ${total_pages}.`;
  const rows = data.map((link) => [
    link.slug,
    statusOf(link),
    minute(link.created_at),
    cutTo(safeText(link.tags.join(', ')), 24),
    link.destination_url,
  ]);
  const next = page < total_pages ? ` Next: --page ${page + 1}` : '';
  return [
    table(['SLUG', 'STATUS', 'CREATED (UTC)', 'TAGS', 'DESTINATION'], rows, columns, paint),
    '',
    `Page ${page} of ${total_pages}, ${counted(total, 'link')} in all.${next}`,
  ].join('\n');
}

export function showKeys({ data, limit }: ApiKeyList, columns: number | undefined, paint: Paint): string {
  if (data.length === 0) return 'No keys.';
  const rows = data.map(({ id, scopes, last_used_at, expires_at, name }) => [
    id,
    scopes.join(', '),
    last_used_at === null ? 'never' : minute(last_used_at),
    expires_at === null ? 'never' : minute(expires_at),
    name,
  ]);
  return [
    table(['ID', 'SCOPES', 'LAST USED (UTC)', 'ENDS (UTC)', 'NAME'], rows, columns, paint),
    '',
    `${data.length} of at most ${limit}.`,
  ].join('\n');
}

export function showCreatedKey({ id, key, name, scopes, expires_at }: CreatedApiKey, paint: Paint): string {
  const ends = expires_at === null ? 'never' : `${minute(expires_at)} UTC`;
  return `${fields(
    [
      ['key', key],
      ['id', id],
      ['name', name],
      ['scopes', scopes.join(', ')],
      ['ends', ends],
    ],
    paint,
  )}
This is the only time that the key is shown.`;
}

export function showLink(link: Link, paint: Paint): string {
  return fields(linkFields(link), paint);
}

function linkFields(link: Link | CheckedLink): [string, string][] {
  return [
    ['slug', link.slug ?? NOT_YET],
    ['destination', link.destination_url],
    ['status', statusOf(link)],
    ...(link.tags.length === 0 ? [] : ([['tags', link.tags.join(', ')]] as [string, string][])),
    ['created', `${minute(link.created_at)} UTC`],
    ...(link.deep_scan === 'queued' ? ([['deep scan', 'queued']] as [string, string][]) : []),
    ...(link.preview_first === true ? ([['visitors', 'see the preview page first']] as [string, string][]) : []),
    ...(link.take_down_reason == null ? [] : ([['taken down', link.take_down_reason]] as [string, string][])),
    ...(link.revoked_at === null ? [] : ([['revoked', `${minute(link.revoked_at)} UTC`]] as [string, string][])),
  ];
}

export function statusOf({ status, threat_type }: Link | CheckedLink): string {
  return threat_type === null ? status : `${status} (${threat_type.replaceAll('_', ' ')})`;
}

const BAR_COLUMNS = 30;

export function showAnalytics(analytics: Analytics, columns: number | undefined, paint: Paint): string {
  const { slug, period, total_clicks, unique_visitors, bot_clicks, time_series } = analytics;
  const most = Math.max(1, ...time_series.map(({ clicks }) => clicks));
  const days = time_series.map(({ date, clicks }) => [
    date,
    String(clicks),
    '█'.repeat(Math.ceil((clicks / most) * BAR_COLUMNS)),
  ]);
  const bots = bot_clicks === 0 ? '' : `, ${bot_clicks} of them by bots`;
  const top = (title: string, rows: readonly (readonly [string, number])[]) =>
    rows.length === 0
      ? []
      : [
          '',
          title,
          grid(
            rows.map(([name, count]) => ['', String(count), name]),
            paint,
            [1],
          ),
        ];
  return [
    fields(
      [
        ['slug', slug],
        ['period', `${period}, UTC days, today included`],
        ['clicks', `${total_clicks}${bots}`],
        ['visitors', String(unique_visitors)],
        ...(columns === undefined
          ? []
          : ([['trend', sparkline(time_series.map(({ clicks }) => clicks / most))]] as const)),
      ],
      paint,
    ),
    '',
    grid(days, paint, [1]),
    ...top(
      'Referrers',
      analytics.top_referrers.map(({ referrer, count }) => [referrer, count]),
    ),
    ...top(
      'Countries',
      analytics.top_countries.map(({ country, count }) => [country, count]),
    ),
    ...top(
      'Devices',
      analytics.top_devices.map(({ device, count }) => [device, count]),
    ),
    ...top(
      'Browsers',
      analytics.top_browsers.map(({ browser, count }) => [browser, count]),
    ),
  ].join('\n');
}

export function showWebhooks({ data, limit }: WebhookList, columns: number | undefined, paint: Paint): string {
  if (data.length === 0) return 'No webhooks.';
  const rows = data.map((webhook) => [
    webhook.id,
    webhook.enabled ? 'enabled' : `off (${webhook.disabled_reason})`,
    webhook.failing_since === null ? '' : minute(webhook.failing_since),
    webhook.events.join(', '),
    webhook.url,
  ]);
  return [
    table(['ID', 'STATE', 'FAILING SINCE', 'EVENTS', 'URL'], rows, columns, paint),
    '',
    `${counted(data.length, 'webhook')} of ${limit}.`,
  ].join('\n');
}

export function showWebhook(webhook: CreatedWebhook | RotatedWebhook, paint: Paint): string {
  const rows: [string, string][] = [
    ['id', webhook.id],
    ['url', webhook.url],
    ['events', webhook.events.join(', ')],
    ['secret', webhook.secret],
  ];
  return `${fields(rows, paint)}\nKeep the secret now: it is not shown again.`;
}

export function showDeliveries({ data, next }: WebhookDeliveryPage, columns: number | undefined, paint: Paint): string {
  if (data.length === 0) return 'No deliveries.';
  const rows = data.map((delivery) => [
    delivery.id,
    delivery.type,
    delivery.state,
    minute(delivery.created_at),
    String(delivery.attempts),
    delivery.last_error ?? '',
  ]);
  const lines = [table(['ID', 'TYPE', 'STATE', 'CREATED (UTC)', 'ATTEMPTS', 'LAST ERROR'], rows, columns, paint)];
  if (next !== null) lines.push('', `Next: --before ${safeText(next)}`);
  return lines.join('\n');
}

export function showDelivery({ id, type, state }: WebhookDelivery, paint: Paint): string {
  return fields(
    [
      ['delivery', id],
      ['type', type],
      ['state', state],
    ],
    paint,
  );
}

/** One block for each share of the highest. */
const sparkline = (shares: readonly number[]) => shares.map((share) => '▁▂▃▄▅▆▇█'[Math.ceil(share * 7)]).join('');

export function counted(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`}`;
}

/** `2026-11-21T12:30:05.123Z` as `2026-11-21 12:30`. */
export function minute(timestamp: string): string {
  return timestamp.slice(0, 16).replace('T', ' ');
}

export function fields(rows: readonly (readonly [string, string])[], paint: Paint): string {
  return grid(rows, paint);
}

/** With a header; the last column is cut to the terminal, where there is one. */
export function table(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number | undefined,
  paint: Paint,
): string {
  return grid([header, ...rows], paint, [], columns);
}

/**
 * Cells made safe and aligned, two spaces apart. `right` are the columns of numbers; the last column is cut so that lines
 * are no wider than `columns`.
 */
function grid(
  rows: readonly (readonly string[])[],
  paint: Paint,
  right: readonly number[] = [],
  columns?: number,
): string {
  const cells = rows.map((row) => row.map(safeText));
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

/** A status in its colour, and bars. */
function painted(cell: string, paint: Paint): string {
  const [status] = /^(active|flagged|revoked)\b/.exec(cell) ?? [];
  if (status === 'active') return paint.green(cell);
  if (status === 'flagged') return paint.yellow(cell);
  if (status === 'revoked') return paint.red(cell);
  return /^[▁-█]+$/.test(cell) ? paint.cyan(cell) : cell;
}

/** The text within `columns`, its end cut if need be: of an address the host matters most. */
function cutTo(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text;
  let cut = '';
  for (const char of text) {
    if (stringWidth(cut + char) > columns - 1) break;
    cut += char;
  }
  return `${cut}…`;
}
