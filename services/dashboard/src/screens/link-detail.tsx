import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { type CSSProperties, useState } from 'react';
import { Link } from 'wouter';
import { type Account, type Analytics, ApiError, api } from '../api.ts';
import { asDay, CopyIcon, Destination, Icon, LoadError, Skeleton, Status, shortUrl, Title } from '../parts.tsx';
import { threat, words } from '../words.ts';
import { RevokeDialog } from './revoke-dialog.tsx';

/** A click shows within seconds; TanStack Query asks only while somebody looks. */
const ASK_EVERY_MS = 5_000;

export function LinkDetail({ slug, account }: { slug: string; account: Account }) {
  const queries = useQueryClient();
  const [revoking, setRevoking] = useState(false);
  const found = useQuery({ queryKey: ['link', slug], queryFn: () => api.link(slug) });
  if (found.data === undefined) {
    if (found.error instanceof ApiError && found.error.status === 404)
      return (
        <div className="empty">
          <Title>{words.link.missing}</Title>
          <Link href="/">{words.nav.links}</Link>
        </div>
      );
    return found.error ? <LoadError error={found.error} retry={() => found.refetch()} /> : <Skeleton rows={6} />;
  }
  const link = found.data;
  const base = account.redirect_base_url;
  const short = shortUrl(base, slug);
  return (
    <>
      <nav className="crumb" aria-label={words.link.crumb}>
        <Link href="/">{words.nav.links}</Link>
        <Icon name="forth" />
        <span>{slug}</span>
      </nav>
      <div className="top">
        <div>
          <div className="h1slug">
            <Title>{short}</Title>
            <CopyIcon text={`${base}/${slug}`} what={short} />
          </div>
          <p className="to">
            <Destination url={link.destination_url} />
          </p>
          <p className="meta">
            <Status status={link.status} />
            {link.tags.map((tag) => (
              <span className="tag" key={tag}>
                <bdi className="cut">{tag}</bdi>
              </span>
            ))}
            <span className="hint">{words.link.createdOn(asDay(link.created_at))}</span>
            {link.revoked_at !== null && <span className="hint">{words.link.revokedOn(asDay(link.revoked_at))}</span>}
          </p>
        </div>
        {link.status === 'active' && (
          <button type="button" className="btn danger" onClick={() => setRevoking(true)}>
            {words.revoke.open}
          </button>
        )}
      </div>
      {link.status === 'flagged' && (
        <p className="note flag made">
          <Icon name="flagged" />
          <span>{words.link.flagged(threat(link.threat_type ?? ''))}</span>
        </p>
      )}
      <Clicks slug={slug} />
      {revoking && (
        <RevokeDialog
          slug={slug}
          short={short}
          onClose={() => setRevoking(false)}
          onRevoked={() => {
            setRevoking(false);
            void queries.invalidateQueries();
          }}
        />
      )}
    </>
  );
}

const PERIODS = [7, 30, 90] as const;

function Clicks({ slug }: { slug: string }) {
  const [days, setDays] = useState<(typeof PERIODS)[number]>(7);
  const clicks = useQuery({
    queryKey: ['analytics', slug, days],
    queryFn: () => api.analytics(slug, `${days}d`),
    placeholderData: keepPreviousData,
    refetchInterval: ASK_EVERY_MS,
  });
  return (
    <>
      <section className="card pad" aria-labelledby="clicks">
        <div className="chead">
          <h2 id="clicks">{words.link.clicks}</h2>
          <fieldset className="seg" aria-label={words.link.period}>
            {PERIODS.map((each) => (
              <button type="button" key={each} aria-pressed={each === days} onClick={() => setDays(each)}>
                {words.link.days(each)}
              </button>
            ))}
          </fieldset>
        </div>
        {clicks.data !== undefined ? (
          <Figures of={clicks.data} />
        ) : clicks.error ? (
          <LoadError error={clicks.error} retry={() => clicks.refetch()} />
        ) : (
          <Skeleton rows={8} />
        )}
      </section>
      {clicks.data !== undefined && clicks.data.total_clicks > 0 && <Lists of={clicks.data} />}
    </>
  );
}

const count = (value: number) => value.toLocaleString('en');

function Figures({
  of: { total_clicks: total, bot_clicks: bots, unique_visitors: visitors, time_series: days },
}: {
  of: Analytics;
}) {
  const [asTable, setAsTable] = useState(false);
  const figures = [
    [words.link.clicks, total],
    [words.link.people, total - bots],
    [words.link.bots, bots],
    [words.link.visitors, visitors],
  ] as const;
  const [first, last] = [days[0]!.date, days.at(-1)!.date];
  return (
    <>
      <div className="figs">
        {figures.map(([name, value]) => (
          <div className="fig" key={name}>
            <b>{count(value)}</b>
            <span>{name}</span>
          </div>
        ))}
      </div>
      <Chart days={days} label={words.link.perDay(asDay(first), asDay(last), total)} />
      <div className="xax" aria-hidden="true">
        <span>{asDay(first)}</span>
        <span>{asDay(last)}</span>
      </div>
      <p className="row hint">
        <span>{words.link.utc}</span>
        <button type="button" className="btn quiet" aria-expanded={asTable} onClick={() => setAsTable(!asTable)}>
          {words.link.asTable}
        </button>
      </p>
      {asTable && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
        <section className="days" tabIndex={0} aria-label={words.link.byDay}>
          <table className="tbl">
            <thead>
              <tr>
                <th>{words.link.day}</th>
                <th className="r">{words.link.clicks}</th>
              </tr>
            </thead>
            <tbody>
              {days.map(({ date, clicks }) => (
                <tr key={date}>
                  <td>{asDay(date)}</td>
                  <td className="r num">{count(clicks)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </>
  );
}

/** A day without clicks is a tick on the axis. */
function Chart({ days, label }: { days: Analytics['time_series']; label: string }) {
  const most = Math.max(1, ...days.map(({ clicks }) => clicks));
  return (
    <div className="plot">
      <svg
        className="bars"
        viewBox={`0 0 ${days.length * 10} 100`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
      >
        {days.map(({ date, clicks }, i) => {
          const height = clicks === 0 ? 0.6 : Math.max(1.5, (98 * clicks) / most);
          return (
            <rect
              key={date}
              className={clicks === 0 ? 'zero' : undefined}
              x={i * 10 + 1.5}
              width={7}
              y={100 - height}
              height={height}
            />
          );
        })}
      </svg>
    </div>
  );
}

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });
const country = (code: string) => (code === 'ZZ' ? words.link.unknown : (regions.of(code) ?? code));

function Lists({ of }: { of: Analytics }) {
  const lists = [
    [words.link.referrers, of.top_referrers.map(({ referrer, count: n }) => [referrer, n] as const)],
    [words.link.countries, of.top_countries.map(({ country: code, count: n }) => [country(code), n] as const)],
    [words.link.devices, of.top_devices.map(({ device, count: n }) => [device, n] as const)],
    [words.link.browsers, of.top_browsers.map(({ browser, count: n }) => [browser, n] as const)],
  ] as const;
  return (
    <div className="two">
      {lists.map(([name, rows]) => (
        <BarList key={name} name={name} rows={rows} total={of.total_clicks} />
      ))}
    </div>
  );
}

function BarList({ name, rows, total }: { name: string; rows: readonly (readonly [string, number])[]; total: number }) {
  const most = Math.max(1, ...rows.map(([, n]) => n));
  return (
    <section className="card pad">
      <h2>{name}</h2>
      <ul className="bl">
        {rows.map(([what, n]) => (
          <li key={what}>
            <span className="fill" style={{ '--share': n / most } as CSSProperties} />
            <bdi title={what}>{what}</bdi>
            <b className="num">{count(n)}</b>
            <span className="pc num">{Math.round((100 * n) / total)}%</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
