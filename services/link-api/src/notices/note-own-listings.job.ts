import type { ThreatFeeds } from '@waypost/ports';
import { type Background, background, ifNoteworthy } from '@waypost/resilience';
import type { Notices } from './notices.port.ts';

interface Deps {
  readonly feeds: ThreatFeeds;
  readonly notices: Pick<Notices, 'noteListings'>;
  readonly now: () => Date;
  readonly onLateError: (error: unknown) => void;
}

const EVERY_MS = 60_000;

/** Writes to the next mail which threat lists name this service. */
export function noteOwnListings({ feeds, notices, now, onLateError }: Deps): Background {
  return background({
    async work() {
      const listings = (await feeds.list()).flatMap(({ name, own_addresses, own_links }) =>
        [...own_addresses, ...own_links.map(({ entry, since }) => ({ entry: `the link ${entry}`, since }))].map(
          ({ entry, since }) => ({ line: `The threat feed ${name} lists ${entry}`, since: new Date(since) }),
        ),
      );
      if (listings.length > 0) await notices.noteListings(listings, now());
      return EVERY_MS;
    },
    onFailure: ifNoteworthy(onLateError),
  });
}
