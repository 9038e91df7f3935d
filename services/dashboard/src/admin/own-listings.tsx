import { Link } from 'wouter';
import type { ThreatFeedList } from '../api.ts';
import { Foreign, Note, Status, Table } from '../components/index.ts';
import { ago, asMoment, lasting } from '../language.ts';
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
          {data.flatMap(({ name, removal_url: url, own_addresses: addresses, own_links: links }) => {
            const feed = (
              <>
                <b>
                  <Foreign>{name}</Foreign>
                </b>
                {url !== null && (
                  <a className="hint below" href={url} target="_blank" rel="noopener noreferrer">
                    {t.ask}
                  </a>
                )}
              </>
            );
            return [
              ...addresses.map(({ address, since }) => (
                <tr key={`${name} ${address}`}>
                  <td>{feed}</td>
                  <td>
                    <Foreign>{address}</Foreign>
                  </td>
                  <Since at={since} />
                </tr>
              )),
              ...links.map(({ slug, since, status }) => (
                <tr key={`${name} /${slug}`}>
                  <td>{feed}</td>
                  <td>
                    <Link href={screens.anyLink.replace(':slug', slug)}>{slug}</Link> <Status status={status} />
                  </td>
                  <Since at={since} />
                </tr>
              )),
            ];
          })}
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

function Since({ at }: { at: string }) {
  return (
    <td className="w-at when">
      <time dateTime={at} title={asMoment(at)}>
        {ago(at)}
      </time>
    </td>
  );
}
