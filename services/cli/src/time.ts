const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

export const TIME_FORMS = '90d, 12h, 30m, 2027-01-31 or 2027-01-31T12:00:00Z';

/**
 * Accepts `90d`, `12h` or `30m` after `now` (before it if `sign` is -1), or ISO 8601 in UTC. Returns undefined for any
 * other text.
 */
export function readTime(text: string, now: Date, sign: 1 | -1): Date | undefined {
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return new Date(now.getTime() + sign * Number(count) * UNITS[unit]!);
  const [, day] = /^(\d{4}-\d\d-\d\d)(T[\d:.]+Z)?$/.exec(text) ?? [];
  const time = new Date(text);
  if (day === undefined || Number.isNaN(time.getTime())) return undefined;
  // `Date` reads 30 February as 2 March, so the day is compared with the text.
  return new Date(day).toISOString().startsWith(day) ? time : undefined;
}
