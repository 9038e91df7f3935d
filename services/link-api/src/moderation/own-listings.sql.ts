import { type Database, rows } from '@waypost/postgres';
import type { ListedLink, OwnListings, Times } from './own-listings.port.ts';

/** The clocks of the scanner and of link-api may differ a little. */
const LINKS = `
SELECT n.feed, n.slug, n.since, l.status, (
  SELECT min(v.at) FROM link_verdicts v
  WHERE v.link_id = l.id AND v.outcome = 'flagged' AND v.at >= n.since - interval '1 minute'
    AND v.reasons @> jsonb_build_array(jsonb_build_object('rule', 'feed:' || n.feed))
) AS "flaggedAt"
FROM unnest($1::text[], $2::text[], $3::timestamptz[]) AS n (feed, slug, since) JOIN links l ON l.slug = n.slug
ORDER BY n.feed, n.slug`;

const REPORT_TIMES = `
SELECT count(*)::integer, percentile_disc(0.5) WITHIN GROUP (ORDER BY seconds) AS median_seconds,
  max(seconds) AS longest_seconds
FROM (SELECT extract(epoch FROM decided_at - created_at)::integer AS seconds FROM cases
      WHERE kind = 'report' AND state = 'upheld') AS reports`;

export function postgresOwnListings(db: Database): OwnListings {
  return {
    links: (listed) =>
      rows<ListedLink>(db, LINKS, [
        listed.map(({ feed }) => feed),
        listed.map(({ slug }) => slug),
        listed.map(({ since }) => since),
      ]),
    reportTimes: async () => (await rows<Times>(db, REPORT_TIMES, []))[0]!,
  };
}
