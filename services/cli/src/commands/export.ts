import type { Command } from '@commander-js/extra-typings';
import { safeJson, safeText, UsageError, writeWhole } from '@waypost/command-line';
import { csv, EXPORT_FIELDS, exportRow } from '@waypost/links-file';
import type { Link, ListFilter, Waypost } from '@waypost/sdk';
import { addCommand, addFlags, fieldsOf, oneOf, value } from '../program.ts';
import type { Session } from '../session.ts';

export function addExport(program: Command, { connect, print, terminal }: Session): void {
  const command = addCommand(program, 'export', 'Export all your links as CSV or JSON lines.', [
    'waypost export --out links.csv',
    'waypost export --format jsonl --status active | jq .destination_url',
  ]);
  addFlags(command, 'listLinks', 'page', 'limit')
    .addOption(oneOf('format', ['csv', 'jsonl'], 'Output format. Default: csv.'))
    .option('--clicks-by-day', 'Include the clicks per day of the last 90 days (one more request per 100 links).')
    .addOption(value('--out <FILE>', 'Write to this file instead of stdout.'))
    .action(async (options) => {
      const { json, format = 'csv', out, clicksByDay } = options;
      if (json && out === undefined)
        throw new UsageError(
          '--json describes the written file, so it requires --out. To export links as JSON, use --format jsonl.',
        );
      const links = exported(connect(options), fieldsOf('listLinks', options), clicksByDay);
      const safe = out === undefined && terminal.columns !== undefined ? safeText : String;
      let count = 0;
      async function* lines() {
        if (format === 'csv') yield csv([[...EXPORT_FIELDS, ...(clicksByDay ? ['clicks_by_day'] : [])]]);
        for await (const { link, ...more } of links) {
          count++;
          yield format === 'csv'
            ? csv([[...exportRow(link).map((cell) => safe(cell)), ...Object.values(more)]])
            : `${safeJson({ ...link, ...more })}\n`;
        }
      }
      if (out === undefined) {
        for await (const line of lines()) terminal.out(line);
        return;
      }
      await writeWhole(out, lines());
      print(options, { links: count, out }, () => `${out}: ${count} ${count === 1 ? 'link' : 'links'}`);
    });
}

async function* exported(
  api: Waypost,
  filter: ListFilter,
  clicksByDay = false,
): AsyncGenerator<{ link: Link; clicks_by_day?: string }> {
  const links = api.listAll(filter);
  if (!clicksByDay) for await (const link of links) yield { link };
  else
    for await (const { link, clicks } of api.withClicks(links, { period: '90d' })) {
      const days = clicks.time_series.filter((day) => day.clicks > 0);
      yield { link, clicks_by_day: days.map(({ date, clicks }) => `${date}=${clicks}`).join(' ') };
    }
}
