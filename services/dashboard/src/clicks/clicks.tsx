import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { csv } from '@waypost/links-file';
import { type CSSProperties, useState } from 'react';
import { Link } from 'wouter';
import { type Analytics, type AnalyticsQuery, type Link as LinkBody, type Overview, waypost } from '../api.ts';
import { Awaited, Button, Card, download, Note, Segments, Table } from '../components/index.ts';
import { oneOf, useUrlState } from '../hooks/url-state.ts';
import { asClickDay, asTime, number, percent, regionName } from '../language.ts';
import { fill, labelOf, words } from '../words.ts';
import { Chart, type ChartProps, type Day } from './chart.tsx';

const t = words.link;

const PERIODS = [7, 30, 90] as const;

/** The figures of a link, or of the account, which has those of the period before as well. */
export type ClickFigures = Omit<Analytics, 'slug'> & Partial<Pick<Overview, 'previous'>>;
type Read<F> = (query: AnalyticsQuery, options: { signal: AbortSignal }) => Promise<F>;

/** The API counts bots separately only in the total, so a second request reads the days without bots. */
async function readBoth<F extends ClickFigures>(read: Read<F>, period: '7d' | '30d' | '90d', signal: AbortSignal) {
  const [all, people] = await Promise.all([
    read({ period }, { signal }),
    read({ period, bots: 'exclude' }, { signal }),
  ]);
  const days: Day[] = all.time_series.map(({ date, clicks }) => {
    // A click may arrive between the two answers, so this count could exceed the count with bots.
    const human = Math.min(clicks, people.time_series.find((each) => each.date === date)?.clicks ?? 0);
    return { date, people: human, bots: clicks - human };
  });
  return { all, people, days };
}

export function Clicks({ link: { slug, revoked_at: revokedAt } }: { link: LinkBody }) {
  return (
    <ClicksOf
      queryKey={['analytics', slug]}
      read={(query, options) => waypost.analytics(slug, query, options)}
      // Clicks appear within seconds.
      refetchMs={5_000}
      file={`${slug}-clicks.csv`}
      revokedOn={revokedAt?.slice(0, 10)}
    />
  );
}

export interface ClickSource<F> {
  readonly queryKey: readonly unknown[];
  readonly read: Read<F>;
  /** TanStack Query refetches only while the window is visible. */
  readonly refetchMs: number;
}

/** The figures of the period in the address. All parts of a screen that use the same source share the requests. */
export function useClicks<F extends ClickFigures>({ queryKey, read, refetchMs }: ClickSource<F>) {
  const [param, setParams] = useUrlState();
  const period = oneOf(PERIODS, param('days'));
  const withBots = param('bots') !== 'exclude';
  const clicks = useQuery({
    queryKey: [...queryKey, period],
    queryFn: ({ signal }) => readBoth(read, `${period}d`, signal),
    placeholderData: keepPreviousData,
    refetchInterval: refetchMs,
  });
  return { clicks, period, withBots, setParams, figures: withBots ? clicks.data?.all : clicks.data?.people };
}

interface ClicksOfProps<F> extends ClickSource<F> {
  /** The name of the CSV file. */
  readonly file: string;
  readonly revokedOn?: string | undefined;
  readonly explain?: (figures: F) => string;
}

/** A card with figures and the chart of a period, with or without bots, and the lists of where clicks come from. */
export function ClicksOf<F extends ClickFigures>(props: ClicksOfProps<F>) {
  const { file, revokedOn, explain } = props;
  const { clicks, period, withBots, setParams, figures } = useClicks(props);
  const setPeriod = (days: (typeof PERIODS)[number]) => setParams({ days: days === PERIODS[0] ? '' : String(days) });
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
        {clicks.data !== undefined && figures !== undefined ? (
          <>
            {clicks.error && (
              <Note variant="made">{fill(t.late, { at: asTime(new Date(clicks.dataUpdatedAt).toISOString()) })}</Note>
            )}
            <Figures {...clicks.data} withBots={withBots} />
            {explain !== undefined && <p className="hint explained">{explain(figures)}</p>}
            {figures.total_clicks === 0 && period !== 90 ? (
              <p className="note">
                <span>{fill(t.noClicks, { days: period })}</span>
                <Button variant="quiet" onClick={() => setPeriod(90)}>
                  {t.show90}
                </Button>
              </p>
            ) : (
              <Series file={file} days={clicks.data.days} withBots={withBots} revokedOn={revokedOn} />
            )}
          </>
        ) : (
          <Awaited query={clicks} rows={8} />
        )}
      </section>
      {figures !== undefined && figures.total_clicks > 0 && (
        <div className="two">
          <TopLists of={figures} />
        </div>
      )}
    </>
  );
}

function Figures({ all, people, withBots }: { all: ClickFigures; people: ClickFigures; withBots: boolean }) {
  const { total_clicks: total, bot_clicks: bots, unique_visitors: visitors, previous } = withBots ? all : people;
  const before = previous?.total_clicks;
  const peopleBefore = people.previous?.total_clicks;
  const botsBefore =
    before !== undefined && peopleBefore !== undefined ? Math.max(0, before - peopleBefore) : undefined;
  return (
    <div className="figs">
      <Figure value={total} before={before} name={t.clicks} />
      {withBots && <Figure value={total - bots} before={peopleBefore} name={t.people} tone="key" />}
      {withBots && <Figure value={bots} before={botsBefore} name={t.bots} tone="key bots" />}
      <Figure value={visitors} before={previous?.unique_visitors} name={t.visitors} />
    </div>
  );
}

interface FigureProps {
  readonly value: number;
  readonly before: number | undefined;
  readonly name: string;
  readonly tone?: string;
}

function Figure({ value, before, name, tone }: FigureProps) {
  return (
    <div className="fig">
      <b>{number(value)}</b>
      {before !== undefined && (value > 0 || before > 0) && (
        <small className="num">{before === 0 ? t.new : percent((value - before) / before, 'exceptZero')}</small>
      )}
      <span>
        {tone !== undefined && <i className={tone} />}
        {name}
      </span>
    </div>
  );
}

function Series({ file, ...chart }: ChartProps & { file: string }) {
  const { days, withBots } = chart;
  const [asTable, setAsTable] = useState(false);
  const save = () => {
    const rows = days.map(({ date, people, bots }) => [date, String(people), String(bots)]);
    download(file, [csv([['date', 'people', 'bots'], ...rows])], 'text/csv');
  };
  return (
    <>
      <Chart {...chart} />
      <p className="row hint">
        <span>{t.utc}</span>
        <Button variant="quiet" aria-expanded={asTable} onClick={() => setAsTable(!asTable)}>
          {t.asTable}
        </Button>
        <Button variant="quiet" onClick={save}>
          {t.asCsv}
        </Button>
      </p>
      {asTable && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the section scrolls
        <section className="days" tabIndex={0} aria-label={t.byDay}>
          <Table variant="" heads={[[t.day], [t.people, 'r'], ...(withBots ? [[t.bots, 'r'] as const] : [])]}>
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

function TopLists({ of }: { of: ClickFigures }) {
  const lists = [
    [
      t.referrers,
      of.top_referrers.map(({ referrer, count }) => [referrer === 'direct' ? t.direct : referrer, count] as const),
    ],
    [t.countries, of.top_countries.map(({ country, count }) => [`${country} ${regionName(country)}`, count] as const)],
    [t.devices, of.top_devices.map(({ device, count }) => [labelOf(t.device, device), count] as const)],
    [
      t.browsers,
      of.top_browsers.map(({ browser, count }) => [browser === 'Unknown' ? t.unknown : browser, count] as const),
    ],
  ] as const;
  return lists.map(([name, rows]) => <BarList key={name} name={name} rows={rows} total={of.total_clicks} />);
}

interface BarListProps {
  readonly name: string;
  readonly rows: readonly (readonly [what: string, count: number, href?: string])[];
  readonly total: number;
}

/** Shows nothing if there are no rows. */
export function BarList({ name, rows, total }: BarListProps) {
  if (rows.length === 0) return null;
  const most = Math.max(1, ...rows.map(([, count]) => count));
  return (
    <Card title={name}>
      <ul className="bl">
        {rows.map(([what, count, href]) => (
          <li key={href ?? what}>
            <span className="fill" style={{ '--share': count / most } as CSSProperties} />
            <bdi title={what}>{href === undefined ? what : <Link href={href}>{what}</Link>}</bdi>
            <b className="num">{number(count)}</b>
            <span className="pc num">{percent(count / total)}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
