/** Days and times are checked strictly, because `Date` reads 30 February as 2 March. */

export function isDay(text: string): boolean {
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

/** Accepts an existing day as `YYYY-MM-DD`, or an ISO 8601 time on such a day. */
export function isTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text)) && isDay(text.slice(0, 10));
}

const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** Reads a time with a zone. Undefined for any other text. */
export function timeOf(text: string): Date | undefined {
  return RFC_3339.test(text) && isDay(text.slice(0, 10)) ? new Date(text.toUpperCase()) : undefined;
}
