import { UsageError } from '@waypost/command-line';

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Accepts `90d`, `12h` or `30m` after now (before now if `sign` is -1), or ISO 8601 in UTC. Returns ISO 8601. */
export function timeOf(option: string, text: string, sign: 1 | -1): string {
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined)
    return new Date(Date.now() + sign * Number(count) * UNITS[unit]!).toISOString();
  const [, day] = /^(\d{4}-\d\d-\d\d)(T[\d:.]+Z)?$/.exec(text) ?? [];
  const time = new Date(text);
  // `Date` reads 30 February as 2 March, so the day is compared with the text.
  if (day === undefined || Number.isNaN(time.getTime()) || !new Date(day).toISOString().startsWith(day))
    throw new UsageError(`${option} must be 90d, 12h, 30m, 2027-01-31 or 2027-01-31T12:00:00Z.`);
  return time.toISOString();
}
