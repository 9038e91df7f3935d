/** A time on the command line. */
const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** What `readTime` understands, for messages. */
export const TIME_FORMS = '90d, 12h, 30m, 2027-01-31 or 2027-01-31T12:00:00Z';

/**
 * `90d`, `12h` or `30m`, after `now` (`sign` 1) or before it (-1), or a date or time of ISO 8601 in UTC. Undefined for
 * any other text.
 */
export function readTime(text: string, now: Date, sign: 1 | -1): Date | undefined {
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return new Date(now.getTime() + sign * Number(count) * UNITS[unit]!);
  const [, day] = /^(\d{4}-\d\d-\d\d)(T[\d:.]+Z)?$/.exec(text) ?? [];
  const time = new Date(text);
  if (day === undefined || Number.isNaN(time.getTime())) return undefined;
  // Not 30 February, which `Date` takes for 2 March.
  return new Date(day).toISOString().startsWith(day) ? time : undefined;
}
