import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type Link, type LinkClicks, waypost } from '../api.ts';
import { useAnnounce } from '../components/index.ts';
import { number } from '../language.ts';
import { fill, words } from '../words.ts';

const t = words.links;

/** The API sorts by the clicks of the same days. */
export const DAYS = 30;

type Clicks = LinkClicks['links'][number];

/** Reads the clicks once the rows are shown. Links that stay on the page keep their clicks meanwhile. */
export function useLinkClicks(links: readonly Link[]) {
  const slugs = links.map(({ slug }) => slug);
  return useQuery({
    queryKey: ['clicks', slugs],
    queryFn: async ({ signal }) => {
      const clicks = await waypost.clicks(slugs, { period: `${DAYS}d` }, { signal });
      return new Map(clicks.links.map((each) => [each.slug, each]));
    },
    placeholderData: keepPreviousData,
  });
}

export function ClicksCell({ clicks, isFailed }: { clicks: Clicks | undefined; isFailed: boolean }) {
  return (
    <td className="c-clicks">
      {clicks !== undefined ? (
        <Counted {...clicks} />
      ) : isFailed ? (
        <span className="clicks none" title={t.clicksFailed}>
          <span aria-hidden="true">–</span>
          <span className="sr">{t.clicksFailed}</span>
        </span>
      ) : (
        <span className="sk">
          <span className="sr">{words.loading}</span>
        </span>
      )}
    </td>
  );
}

function Counted({ total_clicks: count, time_series: days }: Clicks) {
  return (
    <span className={count === 0 ? 'clicks none' : 'clicks'}>
      <Sparkline values={days.map(({ clicks }) => clicks)} />
      <span className="num wide">{number(count)}</span>
      <span className="num thin">{fill(t.clicksOf, { count })}</span>
    </span>
  );
}

/** One path draws all bars, because a page has a hundred of these. The axis below them is the border of the drawing. */
function Sparkline({ values }: { values: readonly number[] }) {
  const most = Math.max(1, ...values);
  const bars = values.map((value, i) => (value === 0 ? '' : `M${3 * i + 1} 24V${22 - (21 * value) / most}`));
  return (
    <svg className="spark" viewBox={`0 0 ${3 * values.length} 24`} preserveAspectRatio="none" aria-hidden="true">
      <path d={bars.join('')} />
    </svg>
  );
}

export function MostClickedNote() {
  const announce = useAnnounce();
  useEffect(() => announce(t.mostClicked), [announce]);
  return <p className="hint below-filters">{t.mostClicked}</p>;
}
