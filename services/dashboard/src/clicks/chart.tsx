import { type CSSProperties, type KeyboardEvent, useId, useState } from 'react';
import { useAnnounce } from '../components/index.ts';
import { asClickDay, number } from '../language.ts';
import { fill, words } from '../words.ts';

const t = words.link;

export interface Day {
  readonly date: string;
  readonly people: number;
  readonly bots: number;
}

export interface ChartProps {
  readonly days: readonly Day[];
  readonly withBots: boolean;
  readonly revokedOn: string | undefined;
}

/** Returns the next higher number of 1, 2, 4, 8, 10, 20, 40, … */
function roundUp(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  return [1, 2, 4, 8, 10].map((each) => each * power).find((each) => each >= most) ?? most;
}

function moveOf(key: string, at: number | undefined, last: number): number | undefined {
  const moves: Record<string, number | undefined> = {
    ArrowLeft: Math.max(0, (at ?? last + 1) - 1),
    ArrowRight: Math.min(last, (at ?? last - 1) + 1),
    Home: 0,
    End: last,
  };
  return moves[key];
}

/** The arrow keys move from day to day, and a screen reader announces each day. */
export function Chart(props: ChartProps) {
  const { days, withBots, revokedOn } = props;
  const id = useId();
  const announce = useAnnounce();
  const [at, setAt] = useState<number>();
  const last = days.length - 1;
  const sum = ({ people, bots }: Day) => people + (withBots ? bots : 0);
  const top = roundUp(Math.max(...days.map(sum)));
  // The number of steps divides `top`, so that each line of the axis is a whole number of clicks.
  const steps = [4, 5, 2].find((each) => top % each === 0) ?? 1;
  const describe = ({ date, people, bots }: Day) =>
    withBots
      ? fill(t.onDayWithBots, { date: asClickDay(date), people, bots })
      : fill(t.onDay, { date: asClickDay(date), people });
  const move = (event: KeyboardEvent) => {
    const next = moveOf(event.key, at, last);
    if (next === undefined) return;
    event.preventDefault();
    setAt(next);
    announce(describe(days[next]!));
  };
  const day = at === undefined ? undefined : days[at];
  return (
    <figure>
      <div className="chart">
        <div
          className="plot"
          style={{ '--steps': steps } as CSSProperties}
          role="img"
          aria-labelledby={id}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys read its days
          tabIndex={0}
          onKeyDown={move}
          onBlur={() => setAt(undefined)}
          onPointerLeave={() => setAt(undefined)}
          onPointerMove={(event) => {
            const box = event.currentTarget.getBoundingClientRect();
            const over = Math.floor((days.length * (event.clientX - box.left)) / box.width);
            setAt(Math.min(last, Math.max(0, over)));
          }}
        >
          <Bars {...props} top={top} />
          {day !== undefined && at !== undefined && (
            <Tip day={day} share={(at + 0.5) / days.length} withBots={withBots} isRevoked={day.date === revokedOn} />
          )}
        </div>
        <div className="yax" aria-hidden="true">
          {Array.from({ length: steps + 1 }, (_, i) => (top * (steps - i)) / steps).map((value) => (
            <span key={value}>{number(value)}</span>
          ))}
        </div>
      </div>
      <div className="xax" aria-hidden="true">
        {[0, Math.floor(last / 2), last].map((i) => (
          <span key={i}>{i === last ? t.today : asClickDay(days[i]!.date, false)}</span>
        ))}
      </div>
      <figcaption className="sr" id={id}>
        {fill(t.perDay, {
          from: asClickDay(days[0]!.date),
          to: asClickDay(days[last]!.date),
          total: days.reduce((total, each) => total + sum(each), 0),
        })}
      </figcaption>
    </figure>
  );
}

/** `top` is the number of clicks at the full height. A day without clicks is a thin line; today is paler. */
function Bars({ days, withBots, revokedOn, top }: ChartProps & { top: number }) {
  const revoked = days.findIndex(({ date }) => date === revokedOn);
  return (
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
      {revoked >= 0 && <rect className="mark" x={revoked * 10 + 4.8} width={0.4} y={0} height={100} />}
    </svg>
  );
}

interface TipProps {
  readonly day: Day;
  /** 0 is the left end, 1 is the right end. */
  readonly share: number;
  readonly withBots: boolean;
  readonly isRevoked: boolean;
}

function Tip({ day: { date, people, bots }, share, withBots, isRevoked }: TipProps) {
  return (
    <div className={share <= 0.5 ? 'tip after' : 'tip'} style={{ left: `${100 * share}%` }}>
      <b>{asClickDay(date)}</b>
      <div>
        {t.people} <b>{number(people)}</b>
      </div>
      {withBots && (
        <div>
          {t.bots} <b>{number(bots)}</b>
        </div>
      )}
      {isRevoked && <div>{words.links.statuses.revoked}</div>}
    </div>
  );
}

/** `people` and `bots` are percentages of the height of the chart. */
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
