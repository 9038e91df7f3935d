import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { csv } from '@waypost/links-file';
import { type CSSProperties, type KeyboardEvent, useId, useState } from 'react';
import { type Analytics, type Link, waypost } from '../api.ts';
import { oneOf, useAsked } from '../asked.ts';
import { asClickDay, asTime, number, percent, regionName } from '../language.ts';
import { Awaited } from '../loaded.tsx';
import { Button, download, Segments, useSay } from '../parts.tsx';
import { fill, named, words } from '../words.ts';

/** A click shows within seconds; TanStack Query asks only while somebody looks. */
const ASK_EVERY_MS = 5_000;
const PERIODS = [7, 30, 90] as const;

interface Day {
  readonly date: string;
  readonly people: number;
  readonly bots: number;
}

/** The API tells bots apart in the sum alone, so the days of people are asked for as well. */
async function read(slug: string, period: '7d' | '30d' | '90d', signal: AbortSignal) {
  const [all, people] = await Promise.all([
    waypost.analytics(slug, { period }, { signal }),
    waypost.analytics(slug, { period, bots: 'exclude' }, { signal }),
  ]);
  const days: Day[] = all.time_series.map(({ date, clicks }) => {
    // A click between the two answers is nobody's bot.
    const human = Math.min(clicks, people.time_series.find((each) => each.date === date)?.clicks ?? 0);
    return { date, people: human, bots: clicks - human };
  });
  return { all, people, days };
}

export function Clicks({ link: { slug, revoked_at: revokedAt } }: { link: Link }) {
  const [asked, ask] = useAsked();
  const period = oneOf(PERIODS, asked('days'));
  const withBots = asked('bots') !== 'exclude';
  const setPeriod = (days: (typeof PERIODS)[number]) => ask({ days: days === PERIODS[0] ? '' : String(days) });
  const clicks = useQuery({
    queryKey: ['analytics', slug, period],
    queryFn: ({ signal }) => read(slug, `${period}d`, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ASK_EVERY_MS,
  });
  const shown = clicks.data === undefined ? undefined : withBots ? clicks.data.all : clicks.data.people;
  return (
    <>
      <section className="card pad clicks-card" aria-labelledby="clicks">
        <div className="chead">
          <h2 id="clicks">{words.link.clicks}</h2>
          <label className="switch">
            <input
              type="checkbox"
              checked={withBots}
              onChange={(event) => ask({ bots: event.currentTarget.checked ? '' : 'exclude' })}
            />
            {words.link.withBots}
          </label>
          <Segments
            label={words.link.period}
            options={PERIODS.map((each) => [each, fill(words.link.days, { days: each })])}
            value={period}
            onChange={setPeriod}
          />
        </div>
        {clicks.data !== undefined && shown !== undefined ? (
          <>
            {clicks.error && (
              <p className="note made">
                {fill(words.link.late, { at: asTime(new Date(clicks.dataUpdatedAt).toISOString()) })}
              </p>
            )}
            <Figures of={shown} withBots={withBots} />
            {shown.total_clicks === 0 && period !== 90 ? (
              <p className="note">
                <span>{fill(words.link.noClicks, { days: period })}</span>
                <Button look="quiet" onClick={() => setPeriod(90)}>
                  {words.link.show90}
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
      {shown !== undefined && shown.total_clicks > 0 && <Lists of={shown} />}
    </>
  );
}

function Figures({ of, withBots }: { of: Analytics; withBots: boolean }) {
  const { total_clicks: total, bot_clicks: bots, unique_visitors: visitors } = of;
  return (
    <div className="figs">
      <Figure value={total} name={words.link.clicks} />
      {withBots && <Figure value={total - bots} name={words.link.people} tone="key" />}
      {withBots && <Figure value={bots} name={words.link.bots} tone="key bots" />}
      <Figure value={visitors} name={words.link.visitors} />
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

interface SeriesProps {
  readonly slug: string;
  readonly days: readonly Day[];
  readonly withBots: boolean;
  readonly revokedOn: string | undefined;
}

function Series({ slug, days, withBots, revokedOn }: SeriesProps) {
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
      <Chart days={days} withBots={withBots} revokedOn={revokedOn} />
      <p className="row hint">
        <span>{words.link.utc}</span>
        <Button look="quiet" aria-expanded={asTable} onClick={() => setAsTable(!asTable)}>
          {words.link.asTable}
        </Button>
        <Button look="quiet" onClick={save}>
          {words.link.asCsv}
        </Button>
      </p>
      {asTable && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
        <section className="days" tabIndex={0} aria-label={words.link.byDay}>
          <table className="tbl">
            <thead>
              <tr>
                <th>{words.link.day}</th>
                <th className="r">{words.link.people}</th>
                {withBots && <th className="r">{words.link.bots}</th>}
              </tr>
            </thead>
            <tbody>
              {days.map(({ date, people, bots }) => (
                <tr key={date}>
                  <td>{asClickDay(date)}</td>
                  <td className="r num">{number(people)}</td>
                  {withBots && <td className="r num">{number(bots)}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </>
  );
}

/** The next of 1, 2, 4, 8, 10, 20, 40, … */
function roundUp(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  return [1, 2, 4, 8, 10].map((each) => each * power).find((each) => each >= most) ?? most;
}

/** Arrow keys go from day to day and read it aloud. A day without clicks is a tick on the axis; today is paler. */
function Chart({ days, withBots, revokedOn }: Omit<SeriesProps, 'slug'>) {
  const id = useId();
  const say = useSay();
  const [at, setAt] = useState<number>();
  const sum = ({ people, bots }: Day) => people + (withBots ? bots : 0);
  const top = roundUp(Math.max(...days.map(sum)));
  // So many that each line of the axis is a whole number of clicks.
  const steps = [4, 5, 2].find((each) => top % each === 0) ?? 1;
  const tell = ({ date, people, bots }: Day) =>
    withBots
      ? fill(words.link.onDayWithBots, { date: asClickDay(date), people, bots })
      : fill(words.link.onDay, { date: asClickDay(date), people });
  const move = (event: KeyboardEvent) => {
    const last = days.length - 1;
    const moves: Record<string, number | undefined> = {
      ArrowLeft: Math.max(0, (at ?? last + 1) - 1),
      ArrowRight: Math.min(last, (at ?? last - 1) + 1),
      Home: 0,
      End: last,
    };
    const next = moves[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setAt(next);
    say(tell(days[next]!));
  };
  const day = at === undefined ? undefined : days[at];
  const middle = Math.floor((days.length - 1) / 2);
  return (
    <figure>
      <div className="chart">
        <div
          className="plot"
          style={{ '--steps': steps } as CSSProperties}
          role="img"
          aria-labelledby={id}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys read its days
          tabIndex={0}
          onKeyDown={move}
          onBlur={() => setAt(undefined)}
          onPointerLeave={() => setAt(undefined)}
          onPointerMove={(event) => {
            const box = event.currentTarget.getBoundingClientRect();
            const over = Math.floor((days.length * (event.clientX - box.left)) / box.width);
            setAt(Math.min(days.length - 1, Math.max(0, over)));
          }}
        >
          <svg className="bars" viewBox={`0 0 ${days.length * 10} 100`} preserveAspectRatio="none" aria-hidden="true">
            {days.map(({ date, people, bots }, i) => (
              <Bar
                key={date}
                x={i * 10 + 1.5}
                people={(98 * people) / top}
                bots={withBots ? (98 * bots) / top : 0}
                isToday={i === days.length - 1}
              />
            ))}
            {revokedOn !== undefined && days.some(({ date }) => date === revokedOn) && (
              <rect
                className="mark"
                x={days.findIndex(({ date }) => date === revokedOn) * 10 + 4.8}
                width={0.4}
                y={0}
                height={100}
              />
            )}
          </svg>
          {day !== undefined && at !== undefined && (
            <div
              className={at < days.length / 2 ? 'tip after' : 'tip'}
              style={{ left: `${(100 * (at + 0.5)) / days.length}%` }}
            >
              <b>{asClickDay(day.date)}</b>
              <div>
                {words.link.people} <b>{number(day.people)}</b>
              </div>
              {withBots && (
                <div>
                  {words.link.bots} <b>{number(day.bots)}</b>
                </div>
              )}
              {day.date === revokedOn && <div>{words.links.statuses.revoked}</div>}
            </div>
          )}
        </div>
        <div className="yax" aria-hidden="true">
          {Array.from({ length: steps + 1 }, (_, i) => (top * (steps - i)) / steps).map((value) => (
            <span key={value}>{number(value)}</span>
          ))}
        </div>
      </div>
      <div className="xax" aria-hidden="true">
        {[0, middle, days.length - 1].map((i) => (
          <span key={i}>{i === days.length - 1 ? words.link.today : asClickDay(days[i]!.date, false)}</span>
        ))}
      </div>
      <figcaption className="sr" id={id}>
        {fill(words.link.perDay, {
          from: asClickDay(days[0]!.date),
          to: asClickDay(days.at(-1)!.date),
          total: days.reduce((total, each) => total + sum(each), 0),
        })}
      </figcaption>
    </figure>
  );
}

/** People below, bots above with a gap. Heights in hundredths of the plot. */
function Bar({ x, people, bots, isToday }: { x: number; people: number; bots: number; isToday: boolean }) {
  const visible = (height: number) => (height === 0 ? 0 : Math.max(1.5, height));
  const [low, high] = [visible(people), visible(bots)];
  const gap = low > 0 && high > 0 ? 1 : 0;
  return (
    <g className={isToday ? 'today' : undefined}>
      {low + high === 0 && <rect className="zero" x={x} width={7} y={99.4} height={0.6} />}
      <rect x={x} width={7} y={100 - low} height={low} />
      <rect className="bots" x={x} width={7} y={Math.max(0, 100 - low - gap - high)} height={high} />
    </g>
  );
}

function Lists({ of }: { of: Analytics }) {
  const lists = [
    [
      words.link.referrers,
      of.top_referrers.map(
        ({ referrer, count }) => [referrer === 'direct' ? words.link.direct : referrer, count] as const,
      ),
    ],
    [
      words.link.countries,
      of.top_countries.map(({ country, count }) => [`${country} ${regionName(country)}`, count] as const),
    ],
    [words.link.devices, of.top_devices.map(({ device, count }) => [named(words.link.device, device), count] as const)],
    [words.link.browsers, of.top_browsers.map(({ browser, count }) => [browser, count] as const)],
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
    <section className="card pad">
      <h2>{name}</h2>
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
    </section>
  );
}
