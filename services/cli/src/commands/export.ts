import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from '@commander-js/extra-typings';
import { safeJson, safeText, UsageError } from '@waypost/command-line';
import { csv, EXPORT_FIELDS, exportRow } from '@waypost/links-file';
import { oneOf, value } from '../program.ts';
import type { Session } from '../session.ts';
import { addFiltered } from './list.ts';

export function addExport(program: Command, { connect, say, terminal }: Session): void {
  addFiltered(program, 'export', 'All your links, as CSV or JSON lines.', [
    'waypost export --out links.csv',
    'waypost export --format jsonl --status active | jq .destination_url',
  ])
    .addOption(oneOf('format', ['csv', 'jsonl'], 'default csv'))
    .addOption(value('--out <FILE>', 'instead of stdout'))
    .action(async (options) => {
      const { json, url: _url, profile: _profile, format = 'csv', out, ...filter } = options;
      if (json && out === undefined)
        throw new UsageError('--json tells of the file that --out names. To have the links as JSON: --format jsonl');
      const links = connect(options).listAll(filter);
      const safe = out === undefined && terminal.columns !== undefined ? safeText : String;
      let count = 0;
      async function* lines() {
        if (format === 'csv') yield csv([EXPORT_FIELDS]);
        for await (const link of links) {
          count++;
          yield format === 'csv' ? csv([exportRow(link).map((cell) => safe(cell))]) : `${safeJson(link)}\n`;
        }
      }
      if (out === undefined) {
        for await (const line of lines()) terminal.out(line);
        return;
      }
      await pipeline(Readable.from(lines()), createWriteStream(out));
      say(options, { links: count, out }, () => `${out}: ${count} ${count === 1 ? 'link' : 'links'}`);
    });
}
