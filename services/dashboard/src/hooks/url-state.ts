import { navigate, useSearch } from 'wouter/use-browser-location';

/** Keeps the filters of a list in the URL. If a filter changes, the list returns to the first page. */
export function useUrlState() {
  const params = new URLSearchParams(useSearch());
  const param = (name: string) => params.get(name) ?? '';
  /** A correction replaces the URL in the history, so that "back" does not return to the wrong one. */
  const setParams = (change: Readonly<Record<string, string>>, isCorrection = false) => {
    const next = new URLSearchParams(params);
    next.delete('page');
    for (const [name, value] of Object.entries(change)) {
      if (value === '') next.delete(name);
      else next.set(name, value);
    }
    navigate(`${location.pathname}${next.size > 0 ? `?${next}` : ''}`, { replace: isCorrection || 'search' in change });
  };
  return [param, setParams] as const;
}

export const oneOf = <T extends string | number>(all: readonly [T, ...T[]], value: string): T =>
  all.find((each) => String(each) === value) ?? all[0];

/** The API treats an empty filter as a value, so an empty filter must be left out. */
export const orNone = <T extends string>(text: T) => (text === '' ? undefined : (text as Exclude<T, ''>));
