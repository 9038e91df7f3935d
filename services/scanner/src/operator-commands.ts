/** The operator commands that are the scanner's: feeds. What each prints with `--json`. */
import { isThreatType, THREAT_TYPES } from '@waypost/domain';
import { type OperatorCommands, takes, textOption } from '@waypost/service-kit';
import type { Scanner } from './create-scanner.ts';
import { FEED_FORMATS, type FeedFormat } from './feeds/formats.ts';

export function scannerCommands(scanner: Pick<Scanner, 'importFeed' | 'listFeeds'>): OperatorCommands {
  return {
    'import-feed': takes(['name', 'format', 'threat-type', 'content'], async (options) => {
      const [name, format, threatType] = ['name', 'format', 'threat-type'].map((option) => textOption(options, option));
      if (!isFeedFormat(format!)) throw new Error(`--format must be one of ${FEED_FORMATS.join(', ')}`);
      if (!isThreatType(threatType)) throw new Error(`--threat-type must be one of ${THREAT_TYPES.join(', ')}`);
      const text = Buffer.from(textOption(options, 'content'), 'base64').toString();
      return scanner.importFeed({ text }, { name: name!, format, threatType });
    }),
    feeds: takes([], async () => scanner.listFeeds()),
  };
}

function isFeedFormat(text: string): text is FeedFormat {
  return (FEED_FORMATS as readonly string[]).includes(text);
}
