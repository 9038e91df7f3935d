import { Link } from 'wouter';
import { type Account, type Overview as Figures, waypost } from '../api.ts';
import { BarList, ClicksOf, TopLists } from '../clicks/clicks.tsx';
import { Card, Head } from '../components/index.ts';
import { number } from '../language.ts';
import { CreateBar } from '../links/create-bar.tsx';
import screens from '../screens.json' with { type: 'json' };
import { fill, words } from '../words.ts';
import { NeedsALook } from './needs-a-look.tsx';

const t = words.overview;

export default function Overview({ account }: { account: Account }) {
  return (
    <>
      <CreateBar account={account} />
      <Head title={t.title} />
      <div className="detail">
        <aside className="stack">
          <NeedsALook account={account} />
        </aside>
        <div className="stack">
          <ClicksOf
            // The key starts with `links`, so that a change of a link refetches the figures.
            queryKey={['links', 'overview']}
            read={(query, options) => waypost.overview(query, options)}
            refetchMs={15_000}
            file="clicks.csv"
            explain={explain}
          >
            {(figures) => (
              <div className="two">
                <BarList
                  name={t.topLinks}
                  rows={figures.top_links.map(({ slug, clicks }) => [
                    slug,
                    clicks,
                    screens.link.replace(':slug', slug),
                  ])}
                  total={figures.total_clicks}
                />
                <LinksCard of={figures} />
                <TopLists of={figures} />
              </div>
            )}
          </ClicksOf>
        </div>
      </div>
    </>
  );
}

const explain = ({ period, previous }: Figures) =>
  previous === null ? t.notCompared : fill(t.compared, { days: Number.parseInt(period, 10) });

function LinksCard({ of: { links } }: { of: Figures }) {
  const rows = [
    [words.links.created, '', links.created],
    [words.links.statuses.flagged, '?status=flagged&sort=updated_at', links.flagged],
    [words.links.statuses.revoked, '?status=revoked&sort=updated_at', links.revoked],
  ] as const;
  return (
    <Card title={t.links}>
      <ul className="bl counts">
        {rows.map(([name, filter, count]) => (
          <li key={name}>
            <span>
              <Link href={`${screens.links}${filter}`}>{name}</Link>
            </span>
            <b className="num">{number(count)}</b>
          </li>
        ))}
      </ul>
    </Card>
  );
}
