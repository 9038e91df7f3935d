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
    help: 'Import a threat feed from a file, or replace it. Returns when the feed is in use.',
    options: {
      content: { type: 'string', from: 'file', required: true, value: 'FILE', help: 'The feed file, or - for stdin.' },
      name: { type: 'string', required: true, value: 'N', help: 'Name of the feed.' },
      format: { type: 'string', required: true, oneOf: FEED_FORMATS, help: 'Format of the file.' },
      'threat-type': {
        type: 'string',
        required: true,
        value: 'T',
        oneOf: THREAT_TYPES,
        help: `Type of threat that the feed lists. One of: ${THREAT_TYPES.join(', ')}.`,
      },
    },
    run: async ({ content, name, format, 'threat-type': threatType }, scanner: Deps) => {
      const report = await scanner.importFeed({ text: content }, { name, format, threatType });
      await scanner.noteFeed('imported', name, `${threatType}, entries: ${report.entries}`);
      return report;
    },
    describe: ({ name, entries, rejected, generation }) =>
      `Imported the feed ${name}: ${entries} entries, ${rejected} lines rejected. It is in use since generation ${generation}.`,
  }),

  feeds: operatorCommand({
    help: 'List the threat feeds.',
    options: {},
    run: async (_, scanner: Deps) => scanner.listFeeds(),
    describe: (feeds) => feeds.map(describeFeed).join('\n') || 'There are no feeds.',
  }),

  quarantine: operatorCommand({
    help: 'List feed entries in quarantine: they name popular sites and flag no link until you release them.',
    options: {},
    run: async (_, scanner: Deps) => scanner.listQuarantine(),
    describe: (entries) =>
      entries.map(({ feed, entry, problem }) => `${feed}: ${entry} (${problem})`).join('\n') ||
      'There are no entries in quarantine.',
  }),

  'release-entry': operatorCommand({
    help: 'Release a feed entry from quarantine. Returns when the entry is in use.',
    options: {
      feed: { type: 'string', required: true, value: 'N', help: 'Name of the feed.' },
      entry: { type: 'string', required: true, value: 'E', help: 'The entry, as `admin quarantine` lists it.' },
    },
    run: async ({ feed, entry }, scanner: Deps) => {
      const released = await scanner.releaseEntry(feed, entry);
      await scanner.noteFeed('entry_released', feed, entry);
      return released;
    },
    describe: ({ name, generation }) =>
      `Released an entry of the feed ${name}. It is in use since generation ${generation}.`,
  }),
};

function describeFeed({ name, entries, updated_at, last_error }: ListedFeed): string {
  const state = updated_at === null ? 'never fetched' : `${entries} entries of ${updated_at}`;
  return `${name}: ${state}${last_error === null ? '' : `; last error: ${last_error}`}`;
}
