import type { Command } from '@commander-js/extra-typings';
import { safeText, UsageError } from '@waypost/command-line';
import { replacedBy, UTM_FIELDS, type Utm, withUtm } from '@waypost/links-file';
import { addCommand, addFlags, fieldsOf, many } from '../program.ts';
import type { Session } from '../session.ts';
import { flaggedWords, showCreated } from '../show.ts';
import { timeOf } from '../time.ts';
import { ENDS } from './edit.ts';

const NAMES = UTM_FIELDS.map((field) => field.slice('utm_'.length));

export function addCreate(program: Command, { connect, print, terminal }: Session): void {
  const command = addCommand(program, 'create <URL>', 'Create a short link.', [
    'waypost create https://www.wikipedia.org/',
    'waypost create https://example.org/menu.pdf --slug spring-menu --tag print --tag spring',
    "waypost create https://example.org/sale --title 'Spring sale' --ends 14d",
    'waypost create https://example.org/sale --utm campaign=spring --utm source=mail',
  ]);
  addFlags(command, 'createLink', 'destination_url', 'dry_run', 'ends_at')
    .addOption(ENDS('When the link ends: a duration (14d) or a UTC date. Default: never.'))
    .addOption(many('--utm <NAME=VALUE>', `Campaign parameter of the URL: ${NAMES.join(', ')}. Can be repeated.`))
    .option('--dry-run', 'Check and scan the link, but create nothing.')
    .action(async (url, options) => {
      const { dryRun = false, ends, utm: words = [] } = options;
      const utm = utmIn(words);
      const replaced = replacedBy(url, utm);
      if (replaced.length > 0 && !options.json) terminal.err(`Replaced in the URL: ${replaced.join(', ')}.\n`);
      const end = ends !== undefined && { ends_at: timeOf('--ends', ends, 1) };
      const link = { ...fieldsOf('createLink', options), ...end, destination_url: withUtm(url, utm) };
      const api = connect(options);
      const answer = await (dryRun ? api.check(link) : api.create(link));
      print(options, answer, (created, look) => showCreated(created, dryRun, look));
      const flagged = flaggedWords(answer);
      if (flagged !== undefined && !dryRun && !options.json) terminal.err(`${flagged}\n`);
    });
}

function utmIn(words: readonly string[]): Utm {
  const pairs = words.map((word) => {
    const [name = '', ...value] = word.split('=');
    const text = value.join('=').trim();
    const isKnown = NAMES.includes(name);
    if (!isKnown || text === '') {
      const problem = isKnown ? 'has no value' : 'has an unknown name';
      throw new UsageError(
        `--utm ${safeText(word)} ${problem}. Write NAME=VALUE; the name is one of ${NAMES.join(', ')}.`,
      );
    }
    return [`utm_${name}`, text] as const;
  });
  const repeated = pairs.find(([name], i) => pairs.findIndex(([first]) => first === name) < i);
  if (repeated !== undefined) throw new UsageError(`--utm ${repeated[0].slice('utm_'.length)} is repeated.`);
  return Object.fromEntries(pairs);
}
