import type { Command } from '@commander-js/extra-typings';
import { UsageError } from '@waypost/command-line';
import type { Link, LinkPage } from '@waypost/sdk';
import { addCommand, addFlags, fieldsOf } from '../program.ts';
import type { Session } from '../session.ts';
import { showLinks } from '../show.ts';

export function addList(program: Command, { connect, print }: Session): void {
  const command = addCommand(program, 'list', 'Your links, page by page.', [
    'waypost list --status active --limit 25',
    'waypost list --all --tag spring --json',
  ]);
  addFlags(command, 'listLinks')
    .option('--all', 'all pages at once')
    .action(async (options) => {
      const { page, limit, ...filter } = fieldsOf('listLinks', options);
      const { all } = options;
      if (all && (page ?? limit) !== undefined) throw new UsageError('--all takes neither --page nor --limit.');
      const api = connect(options);
      const answer = all ? await allOf(api.listAll(filter)) : await api.list({ page, limit, ...filter });
      print(options, answer, showLinks);
    });
}

async function allOf(links: AsyncIterable<Link>): Promise<LinkPage> {
  const data: Link[] = [];
  for await (const link of links) data.push(link);
  const { length } = data;
  return { data, total: length, page: 1, limit: length, total_pages: Math.min(1, length) };
}
