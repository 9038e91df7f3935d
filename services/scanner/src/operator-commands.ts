import { THREAT_TYPES } from '@waypost/domain';
import { type OperatorCommands, operatorCommand } from '@waypost/operator';
import type { Scanner } from './app.ts';
import type { ListedFeed } from './threats/feed-status.ts';
import { FEED_FORMATS } from './threats/feeds/formats.ts';
import type { NoteFeed } from './threats/note-feed.port.ts';

interface Deps extends Pick<Scanner, 'importFeed' | 'listFeeds' | 'listQuarantine' | 'releaseEntry'> {
  readonly noteFeed: NoteFeed;
}

export const scannerCommands: OperatorCommands<Deps> = {
  'import-feed': operatorCommand({
    help: 'Replace a threat feed, or add one, from a file; ends when it decides verdicts.',
    options: {
      content: { type: 'string', from: 'file', required: true, value: 'FILE', help: 'the feed, or - for stdin' },
      name: { type: 'string', required: true, value: 'N', help: 'of the feed' },
      format: { type: 'string', required: true, oneOf: FEED_FORMATS, help: 'of the file' },
      'threat-type': {
        type: 'string',
        required: true,
        value: 'T',
        oneOf: THREAT_TYPES,
        help: `what it lists: ${THREAT_TYPES.join(', ')}`,
      },
    },
    run: async ({ content, name, format, 'threat-type': threatType }, scanner: Deps) => {
      const imported = await scanner.importFeed({ text: content }, { name, format, threatType });
      await scanner.noteFeed('imported', name, `${threatType}, entries: ${imported.entries}`);
      return imported;
    },
    describe: ({ name, entries, rejected, generation }) =>
      `The feed ${name} has ${entries} entries (${rejected} lines rejected) and decides verdicts now, in generation ${generation}.`,
  }),

  feeds: operatorCommand({
    help: 'The threat feeds.',
    options: {},
    run: async (_, scanner: Deps) => scanner.listFeeds(),
    describe: (feeds) => feeds.map(describeFeed).join('\n') || 'There are no feeds.',
  }),

  quarantine: operatorCommand({
    help: 'Entries of feeds on much visited sites, which do not flag until you release them.',
    options: {},
    run: async (_, scanner: Deps) => scanner.listQuarantine(),
    describe: (entries) =>
      entries.map(({ feed, entry, problem }) => `${feed}: ${entry} (${problem})`).join('\n') ||
      'There are no entries in quarantine.',
  }),

  'release-entry': operatorCommand({
    help: 'Let an entry out of the quarantine of its feed; ends when it decides verdicts.',
    options: {
      feed: { type: 'string', required: true, value: 'N', help: 'name of the feed' },
      entry: { type: 'string', required: true, value: 'E', help: 'as `admin quarantine` shows it' },
    },
    run: async ({ feed, entry }, scanner: Deps) => {
      const released = await scanner.releaseEntry(feed, entry);
      await scanner.noteFeed('entry_released', feed, entry);
      return released;
    },
    describe: ({ name, generation }) =>
      `The entry of the feed ${name} decides verdicts now, in generation ${generation}.`,
  }),
};

function describeFeed({ name, entries, updated_at, last_error }: ListedFeed): string {
  const state = updated_at === null ? 'never fetched' : `${entries} entries of ${updated_at}`;
  return `${name}: ${state}${last_error === null ? '' : `; last error: ${last_error}`}`;
}
