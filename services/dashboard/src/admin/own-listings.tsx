import type { PropsWithChildren } from 'react';
import { Link } from 'wouter';
import type { ThreatFeedList } from '../api.ts';
import { Foreign, Note, Status, Table, When } from '../components/index.ts';
import { ago, lasting } from '../language.ts';
import screens from '../screens.json' with { type: 'json' };
import { fill, words } from '../words.ts';

const t = words.admin.feeds.own;

/** What feeds list of this service, and what a request to remove it needs. Nothing if they list none of it. */
export function OwnListings({ data, takedown_times: times }: ThreatFeedList) {
  if (times === null) return null;
  const { listings, reports } = times;
  return (
    <>
      <Note variant="bad lead-p" icon="bad" role="alert">
        <b>{t.title}</b> {t.why}
      </Note>
      <div className="card lead-p">
        <Table caption={t.title} heads={[[words.admin.feeds.name], [t.entry], [t.since, 'w-at']]}>
          {data.flatMap(({ name, removal_url: url, own_addresses: addresses, own_links: links }) => [
            ...addresses.map(({ address, since }) => (
              <Listing key={`${name} ${address}`} feed={name} removalUrl={url} since={since}>
                <Foreign>{address}</Foreign>
              </Listing>
            )),
            ...links.map(({ slug, since, status }) => (
              <Listing key={`${name} /${slug}`} feed={name} removalUrl={url} since={since}>
                <Link href={screens.anyLink.replace(':slug', slug)}>{slug}</Link> <Status status={status} />
              </Listing>
            )),
          ])}
        </Table>
      </div>
      <p className="hint lead-p">{t.visitors}</p>
      {listings.count > 0 && (
        <p className="hint">
          {fill(t.listings, {
            count: listings.count,
            median: lasting(listings.median_seconds ?? 0),
            longest: lasting(listings.longest_seconds ?? 0),
          })}
        </p>
      )}
      {reports.count > 0 && (
        <p className="hint">
          {fill(t.reports, {
            count: reports.count,
            median: lasting(reports.median_seconds ?? 0),
            longest: lasting(reports.longest_seconds ?? 0),
          })}
        </p>
      )}
    </>
  );
}

interface ListingProps {
  readonly feed: string;
  readonly removalUrl: string | null;
  readonly since: string;
}

function Listing({ feed, removalUrl, since, children }: PropsWithChildren<ListingProps>) {
  return (
    <tr>
      <td>
        <b>
          <Foreign>{feed}</Foreign>
        </b>
        {removalUrl !== null && (
          <a className="hint below" href={removalUrl} target="_blank" rel="noopener noreferrer">
            {t.ask}
          </a>
        )}
      </td>
      <td>{children}</td>
      <td className="w-at when">
        <When at={since} as={ago} />
      </td>
    </tr>
  );
}
