export type Check<T> = (value: unknown) => value is T;
export type Checks<T> = { readonly [Field in keyof T]-?: Check<T[Field]> };

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

export const text = (value: unknown): value is string => typeof value === 'string';

export const textOf =
  (least: number, most: number): Check<string> =>
  (value): value is string =>
    text(value) && value.length >= least && value.length <= most;

export const matching =
  (pattern: RegExp): Check<string> =>
  (value): value is string =>
    text(value) && pattern.test(value);

export const count = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0;

/** Accepts ISO 8601 in UTC with milliseconds, as `toISOString` writes it. */
export const dateTime = (value: unknown): value is string => {
  if (!text(value)) return false;
  const time = Date.parse(value);
  return !Number.isNaN(time) && new Date(time).toISOString() === value;
};

export function oneOf<const T>(...values: readonly T[]): Check<T> {
  const accepted: readonly unknown[] = values;
  return (value): value is T => accepted.includes(value);
}

export const listOf =
  <T>(isItem: Check<T>): Check<readonly T[]> =>
  (value): value is readonly T[] =>
    Array.isArray(value) && value.length > 0 && value.every(isItem);

export const either =
  <A, B>(isA: Check<A>, isB: Check<B>): Check<A | B> =>
  (value): value is A | B =>
    isA(value) || isB(value);

export function objectOf<T extends object>(fields: Checks<T>): Check<T> {
  const checks = Object.entries<Check<unknown>>(fields);
  return (value): value is T => isObject(value) && checks.every(([field, isRight]) => isRight(value[field]));
}
