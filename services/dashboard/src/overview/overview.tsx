import { Link } from 'wouter';
import { type Account, type Overview as Figures, waypost } from '../api.ts';
import { BarList, type ClickSource, ClicksOf, useClicks } from '../clicks/clicks.tsx';
import { Card, Head } from '../components/index.ts';
import { number } from '../language.ts';
import { CreateBar } from '../links/create-bar.tsx';
import screens from '../screens.json' with { type: 'json' };
import { fill, words } from '../words.ts';
import { NeedsALook } from './needs-a-look.tsx';

const t = words.overview;

const SOURCE: ClickSource<Figures> = {
  // The key starts with `links`, so that a change of a link refetches the figures.
  queryKey: ['links', 'overview'],
  read: (query, options) => waypost.overview(query, options),
  refetchMs: 15_000,
};

export default function Overview({ account }: { account: Account }) {
  return (
    <>
      <CreateBar account={account} />
      <Head title={t.title} />
      <div className="detail overview">
        <aside className="look">
          <NeedsALook account={account} />
        </aside>
        <div className="stack">
          <ClicksOf {...SOURCE} file="clicks.csv" explain={explain} />
        </div>
        <LinkFigures />
      </div>
    </>
  );
}

const explain = ({ period, previous }: Figures) =>
  previous === null ? t.notCompared : fill(t.compared, { days: Number.parseInt(period, 10) });

function LinkFigures() {
  const { figures } = useClicks(SOURCE);
  if (figures === undefined) return null;
  const { links } = figures;
  const counts = [
    [words.links.created, '', links.created],
    [words.links.statuses.flagged, '?status=flagged&sort=updated_at', links.flagged],
    [words.links.statuses.revoked, '?status=revoked&sort=updated_at', links.revoked],
  ] as const;
  return (
    <div className="stack">
      <Card title={t.links}>
        <ul className="counts">
          {counts.map(([name, filter, count]) => (
            <li key={name}>
              <b className="num">{number(count)}</b>
              <Link href={`${screens.links}${filter}`}>{name}</Link>
            </li>
          ))}
        </ul>
      </Card>
      <BarList
        name={t.topLinks}
        rows={figures.top_links.map(({ slug, title, clicks }) => [
          title ?? slug,
          clicks,
          screens.link.replace(':slug', slug),
        ])}
        total={figures.total_clicks}
      />
    </div>
  );
}
