/** A row is one link of an export in Waypost's own fields. It is the same for all services. */
import { CUSTOM_SLUG_MAX, type DayClicks, endProblem, isDay, LIMITS, linkTextOf } from '@waypost/domain';

export interface Row {
  /** The number of the line in the file, or of the entry in JSON, from 1. */
  readonly line: number;
  readonly slug: string;
  readonly destinationUrl: string;
  readonly tags: readonly string[];
  readonly title?: string;
  readonly note?: string;
  /** ISO 8601, in the future. */
  readonly endsAt?: string;
  /** ISO 8601; absent if the source does not record the time. */
  readonly createdAt?: string;
  /** The number of all clicks that the source counted. `days` has only those for which the day is known. */
  readonly clicks: number;
  readonly days: readonly DayClicks[];
}

/** A row with what the source does and Waypost does not. */
export interface ReadRow extends Row {
  readonly loss?: string;
}

export interface UnreadableRow {
  readonly line: number;
  readonly slug: string;
  readonly why: string;
}

export interface RawRow {
  readonly line: number;
  readonly slug: string;
  readonly destination: string;
  readonly createdAt: string;
  readonly startsAt: RawLimit;
  readonly endsAt: RawLimit;
  readonly maxVisits: RawLimit;
  readonly tags: readonly string[];
  readonly title: string;
  readonly note: string;
  readonly clicks: string;
  readonly days: string;
  /** The reason why the link must not redirect again, or not for everybody. */
  readonly closed: string | undefined;
  /** What the link does at the source, and does not do here. */
  readonly loss: string | undefined;
}

interface RawLimit {
  /** The name at the source, for messages. */
  readonly name: string;
  readonly text: string;
}

/** Longer texts are invalid. They are cut, so that they can be shown and sent. */
const LONGEST = { slug: CUSTOM_SLUG_MAX + 50, destination: 2 * LIMITS.destinationUrlBytes, tag: 1_000 };
const MOST_TAGS = 100;
const MOST_DAYS = 4_000;
const MOST_CLICKS = 1_000_000_000;

export function rowOf(raw: RawRow, now: Date): ReadRow | UnreadableRow {
  const { line } = raw;
  const slug = raw.slug.slice(0, LONGEST.slug);
  try {
    if (raw.closed !== undefined) throw new Problem(raw.closed);
    const startsAt = timeOf(raw.startsAt);
    if (startsAt !== undefined && startsAt > now) throw new Problem('it is not active yet at the source');
    const endsAt = timeOf(raw.endsAt);
    if (endsAt !== undefined && endsAt <= now) throw new Problem('it has expired at the source');
    if (slug === '') throw new Problem('slug is missing');
    if (raw.destination === '') throw new Problem('destination_url is missing');
    const createdAt = pastTimeOf(raw.createdAt, now);
    const days = daysOf(raw.days, now);
    const byDays = days.reduce((sum, { clicks }) => sum + clicks, 0);
    const clicks = Math.max(byDays, raw.clicks === '' ? 0 : countOf('clicks', raw.clicks));
    const most = raw.maxVisits.text === '' ? undefined : countOf(raw.maxVisits.name, raw.maxVisits.text);
    if (most !== undefined && clicks >= most) throw new Problem('it has reached its limit of visits at the source');
    const isTooLate = endsAt !== undefined && endProblem(endsAt, now) !== undefined;
    const losses = [
      raw.loss,
      isTooLate ? `its end at the source, ${endsAt.toISOString()}, is too far ahead; here, it has none` : undefined,
      most === undefined ? undefined : `its limit of ${most} visits at the source does not apply here`,
    ];
    const loss = losses.filter((each) => each !== undefined).join('; ');
    return {
      line,
      slug,
      destinationUrl: raw.destination.slice(0, LONGEST.destination),
      tags: raw.tags.slice(0, MOST_TAGS).map((tag) => tag.slice(0, LONGEST.tag)),
      ...optional('title', linkTextOf(raw.title, LIMITS.titleLength)),
      ...optional('note', linkTextOf(raw.note, LIMITS.noteLength, 'several')),
      ...(endsAt === undefined || isTooLate ? {} : { endsAt: endsAt.toISOString() }),
      ...(createdAt === undefined ? {} : { createdAt }),
      clicks,
      days,
      ...(loss === '' ? {} : { loss }),
    };
  } catch (error) {
    if (error instanceof Problem) return { line, slug, why: error.message };
    throw error;
  }
}

const optional = (field: string, text: string) => (text === '' ? {} : { [field]: text });

class Problem extends Error {}

function countOf(field: string, text: string): number {
  const count = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(count <= MOST_CLICKS)) throw new Problem(`${field} must be a whole number up to ${MOST_CLICKS}`);
  return count;
}

const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?: ?(Z|UTC|[+-]\d\d(?::?\d\d)?))?)?$/i;
/** No link shortener existed before this year. */
const FIRST_YEAR = 1995;

function pastTimeOf(text: string, now: Date): string | undefined {
  const at = timeOf({ name: 'created_at', text });
  if (at === undefined) return undefined;
  if (at.getUTCFullYear() < FIRST_YEAR) throw new Problem(`created_at must not be before ${FIRST_YEAR}`);
  if (at > now) throw new Problem('created_at must not be in the future');
  return at.toISOString();
}

function timeOf({ name, text }: RawLimit): Date | undefined {
  if (text === '') return undefined;
  const at = new Date(millisecondsOf(text));
  if (Number.isNaN(at.getTime())) throw new Problem(`${name} must be a date such as 2026-11-22T09:30:00Z`);
  return at;
}

/** Accepts ISO 8601 or SQL (without a zone in UTC), or Unix time in seconds or milliseconds. Otherwise NaN. */
function millisecondsOf(text: string): number {
  if (/^\d{9,10}$/.test(text)) return Number(text) * 1_000;
  if (/^\d{12,13}$/.test(text)) return Number(text);
  const [, day, time = '00:00:00', zone = 'Z'] = ISO.exec(text) ?? [];
  if (day === undefined || !isDay(day)) return Number.NaN;
  const offset = /utc|z/i.test(zone) ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`;
  return Date.parse(`${day}T${time.slice(0, 12)}${offset}`);
}

/** Reads `2026-11-01=5 2026-11-02=3`. Semicolons, `|` and colons are accepted, too. */
function daysOf(text: string, now: Date): DayClicks[] {
  if (text === '') return [];
  const entries = text.split(/[\s;|]+/).filter((entry) => entry !== '');
  if (entries.length > MOST_DAYS) throw new Problem(`clicks_by_day must have at most ${MOST_DAYS} days`);
  const today = now.toISOString().slice(0, 10);
  const days = new Map<string, number>();
  for (const entry of entries) {
    const [, date, count] = /^(\d{4}-\d\d-\d\d)[=:](\d{1,10})$/.exec(entry) ?? [];
    if (date === undefined || count === undefined || !isDay(date))
      throw new Problem('clicks_by_day must have the form 2026-11-01=5 2026-11-02=3');
    if (date > today) throw new Problem('clicks_by_day must not contain a day in the future');
    if (days.has(date)) throw new Problem(`clicks_by_day must not repeat ${date}`);
    days.set(date, countOf('clicks_by_day', count));
  }
  return [...days].filter(([, clicks]) => clicks > 0).map(([date, clicks]) => ({ date, clicks }));
}
