/** Days and times of ISO 8601. `Date` takes 30 February for 2 March. */

/** Whether this `YYYY-MM-DD` is in the calendar. */
export function isDay(text: string): boolean {
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

/** Whether this `YYYY-MM-DD`, or time that begins so, is one. */
export function isTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text)) && isDay(text.slice(0, 10));
}
