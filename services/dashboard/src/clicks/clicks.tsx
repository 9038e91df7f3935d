import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { csv } from '@waypost/links-file';
import { type CSSProperties, useState } from 'react';
import { type Analytics, type Link, waypost } from '../api.ts';
import { Awaited, Button, Card, download, Note, Segments, Table } from '../components/index.ts';
import { oneOf, useUrlState } from '../hooks/url-state.ts';
import { asClickDay, asTime, number, percent, regionName } from '../language.ts';
import { fill, labelOf, words } from '../words.ts';
import { Chart, type ChartProps, type Day } from './chart.tsx';

const t = words.link;

/** Clicks appear within seconds. TanStack Query refetches only while the window is visible. */
const ASK_EVERY_MS = 5_000;
const PERIODS = [7, 30, 90] as const;

/** The API counts bots separately only in the total, so a second request reads the days without bots. */
async function read(slug: string, period: '7d' | '30d' | '90d', signal: AbortSignal) {
  const [all, people] = await Promise.all([
    waypost.analytics(slug, { period }, { signal }),
    waypost.analytics(slug, { period, bots: 'exclude' }, { signal }),
  ]);
  const days: Day[] = all.time_series.map(({ date, clicks }) => {
    // A click may arrive between the two answers, so this count could exceed the count with bots.
    const human = Math.min(clicks, people.time_series.find((each) => each.date === date)?.clicks ?? 0);
    return { date, people: human, bots: clicks - human };
  });
  return { all, people, days };
}

export function Clicks({ link: { slug, revoked_at: revokedAt } }: { link: Link }) {
  const [param, setParams] = useUrlState();
  const period = oneOf(PERIODS, param('days'));
  const withBots = param('bots') !== 'exclude';
  const setPeriod = (days: (typeof PERIODS)[number]) => setParams({ days: days === PERIODS[0] ? '' : String(days) });
  const clicks = useQuery({
    queryKey: ['analytics', slug, period],
    queryFn: ({ signal }) => read(slug, `${period}d`, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ASK_EVERY_MS,
  });
  const analytics = withBots ? clicks.data?.all : clicks.data?.people;
  return (
    <>
      <section className="card pad clicks-card" aria-labelledby="clicks">
        <div className="chead">
          <h2 id="clicks">{t.clicks}</h2>
          <label className="switch">
            <input
              type="checkbox"
              checked={withBots}
              onChange={(event) => setParams({ bots: event.currentTarget.checked ? '' : 'exclude' })}
            />
            {t.withBots}
          </label>
          <Segments
            label={t.period}
            options={PERIODS.map((each) => [each, fill(t.days, { days: each })])}
            value={period}
            onChange={setPeriod}
          />
        </div>
        {clicks.data !== undefined && analytics !== undefined ? (
          <>
            {clicks.error && (
              <Note look="made">{fill(t.late, { at: asTime(new Date(clicks.dataUpdatedAt).toISOString()) })}</Note>
            )}
            <Figures of={analytics} withBots={withBots} />
            {analytics.total_clicks === 0 && period !== 90 ? (
              <p className="note">
                <span>{fill(t.noClicks, { days: period })}</span>
                <Button look="quiet" onClick={() => setPeriod(90)}>
                  {t.show90}
                </Button>
              </p>
            ) : (
              <Series slug={slug} days={clicks.data.days} withBots={withBots} revokedOn={revokedAt?.slice(0, 10)} />
            )}
          </>
        ) : (
          <Awaited query={clicks} rows={8} />
        )}
      </section>
      {analytics !== undefined && analytics.total_clicks > 0 && <Lists of={analytics} />}
    </>
  );
}

function Figures({ of, withBots }: { of: Analytics; withBots: boolean }) {
  const { total_clicks: total, bot_clicks: bots, unique_visitors: visitors } = of;
  return (
    <div className="figs">
      <Figure value={total} name={t.clicks} />
      {withBots && <Figure value={total - bots} name={t.people} tone="key" />}
      {withBots && <Figure value={bots} name={t.bots} tone="key bots" />}
      <Figure value={visitors} name={t.visitors} />
    </div>
  );
}

function Figure({ value, name, tone }: { value: number; name: string; tone?: string }) {
  return (
    <div className="fig">
      <b>{number(value)}</b>
      <span>
        {tone !== undefined && <i className={tone} />}
        {name}
      </span>
    </div>
  );
}

function Series({ slug, ...chart }: ChartProps & { slug: string }) {
  const { days, withBots } = chart;
  const [asTable, setAsTable] = useState(false);
  const save = () =>
    download(
      `${slug}-clicks.csv`,
      [
        csv([
          ['date', 'people', 'bots'],
          ...days.map(({ date, people, bots }) => [date, String(people), String(bots)]),
        ]),
      ],
      'text/csv',
    );
  return (
    <>
      <Chart {...chart} />
      <p className="row hint">
        <span>{t.utc}</span>
        <Button look="quiet" aria-expanded={asTable} onClick={() => setAsTable(!asTable)}>
          {t.asTable}
        </Button>
        <Button look="quiet" onClick={save}>
          {t.asCsv}
        </Button>
      </p>
      {asTable && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the section scrolls
        <section className="days" tabIndex={0} aria-label={t.byDay}>
          <Table look="" heads={[[t.day], [t.people, 'r'], ...(withBots ? [[t.bots, 'r'] as const] : [])]}>
            {days.map(({ date, people, bots }) => (
              <tr key={date}>
                <td>{asClickDay(date)}</td>
                <td className="r num">{number(people)}</td>
                {withBots && <td className="r num">{number(bots)}</td>}
              </tr>
            ))}
          </Table>
        </section>
      )}
    </>
  );
}

function Lists({ of }: { of: Analytics }) {
  const lists = [
    [
      t.referrers,
      of.top_referrers.map(({ referrer, count }) => [referrer === 'direct' ? t.direct : referrer, count] as const),
    ],
    [t.countries, of.top_countries.map(({ country, count }) => [`${country} ${regionName(country)}`, count] as const)],
    [t.devices, of.top_devices.map(({ device, count }) => [labelOf(t.device, device), count] as const)],
    [t.browsers, of.top_browsers.map(({ browser, count }) => [browser, count] as const)],
  ] as const;
  return (
    <div className="two">
      {lists
        .filter(([, rows]) => rows.length > 0)
        .map(([name, rows]) => (
          <BarList key={name} name={name} rows={rows} total={of.total_clicks} />
        ))}
    </div>
  );
}

function BarList({ name, rows, total }: { name: string; rows: readonly (readonly [string, number])[]; total: number }) {
  const most = Math.max(1, ...rows.map(([, count]) => count));
  return (
    <Card title={name}>
      <ul className="bl">
        {rows.map(([what, count]) => (
          <li key={what}>
            <span className="fill" style={{ '--share': count / most } as CSSProperties} />
            <bdi title={what}>{what}</bdi>
            <b className="num">{number(count)}</b>
            <span className="pc num">{percent(count / total)}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
