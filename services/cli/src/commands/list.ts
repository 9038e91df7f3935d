import type { Command } from '@commander-js/extra-typings';
import { UsageError } from '@waypost/command-line';
import type { Link, LinkPage, Waypost } from '@waypost/sdk';
import { addCommand, addFlags, fieldsOf } from '../program.ts';
import type { Session } from '../session.ts';
import { type LinkRows, showLinks } from '../show.ts';

export function addList(program: Command, { connect, print }: Session): void {
  const command = addCommand(program, 'list', 'List your links.', [
    'waypost list --status active --limit 25',
    'waypost list --all --tag spring --json',
    'waypost list --sort clicks --clicks',
  ]);
  addFlags(command, 'listLinks')
    .option('--all', 'List all pages.')
    .option('--clicks', 'Include the clicks of each link in the last 30 days.')
    .action(async (options) => {
      const { page, limit, ...filter } = fieldsOf('listLinks', options);
      const { all, clicks } = options;
      if (all && (page ?? limit) !== undefined)
        throw new UsageError('--all cannot be combined with --page or --limit.');
      const api = connect(options);
      const answer = all ? await allOf(api.listAll(filter)) : await api.list({ page, limit, ...filter });
      print(options, clicks ? await withClicks(api, answer) : answer, showLinks);
    });
}

async function allOf(links: AsyncIterable<Link>): Promise<LinkPage> {
  const data: Link[] = [];
  for await (const link of links) data.push(link);
  const { length } = data;
  return { data, total: length, page: 1, limit: length, total_pages: Math.min(1, length) };
}

async function withClicks(api: Waypost, page: LinkPage): Promise<LinkRows> {
  const data: LinkRows['data'][number][] = [];
  for await (const { link, clicks } of api.withClicks(page.data, { period: '30d' }))
    data.push({ ...link, clicks: clicks.total_clicks });
  return { ...page, data };
}
