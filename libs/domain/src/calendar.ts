/** Days and times are checked strictly, because `Date` reads 30 February as 2 March. */

export function isDay(text: string): boolean {
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

/** Accepts an existing day as `YYYY-MM-DD`, or an ISO 8601 time on such a day. */
export function isTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text)) && isDay(text.slice(0, 10));
}
