import type { Command } from '@commander-js/extra-typings';
import { UsageError } from '@waypost/command-line';
import { CHOICES, type Link, type LinkPage } from '@waypost/sdk';
import { addCommand, count, type Declared, many, oneOf, value } from '../program.ts';
import type { Session } from '../session.ts';
import { showLinks } from '../show.ts';

export function addFiltered<Usage extends string>(...declared: Declared<Usage>) {
  return addCommand(...declared)
    .addOption(oneOf('sort', CHOICES.listLinks.sort, 'default created_at'))
    .addOption(oneOf('order', CHOICES.listLinks.order, 'default desc'))
    .addOption(oneOf('status', CHOICES.listLinks.status, 'only these'))
    .addOption(many('--tag <T>', 'only links with it; repeated: with all of them'))
    .addOption(value('--search <TEXT>', 'part of the slug or the destination'));
}

export function addList(program: Command, { connect, print }: Session): void {
  addFiltered(program, 'list', 'Your links, page by page.', [
    'waypost list --status active --limit 25',
    'waypost list --all --tag spring --json',
  ])
    .addOption(count('--page <N>', 'from 1'))
    .addOption(count('--limit <N>', '1 to 100, default 10'))
    .option('--all', 'all pages at once')
    .action(async (options) => {
      const { json: _json, url: _url, profile: _profile, all, page, limit, ...filter } = options;
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
