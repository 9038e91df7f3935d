import { navigate, useSearch } from 'wouter/use-browser-location';

/** What a list is asked for stands in the address bar. Another question begins at the first page. */
export function useAsked() {
  const params = new URLSearchParams(useSearch());
  const asked = (name: string) => params.get(name) ?? '';
  const ask = (change: Readonly<Record<string, string>>) => {
    const next = new URLSearchParams(params);
    next.delete('page');
    for (const [name, value] of Object.entries(change)) {
      if (value === '') next.delete(name);
      else next.set(name, value);
    }
    navigate(`${location.pathname}${next.size > 0 ? `?${next}` : ''}`, { replace: 'search' in change });
  };
  return [asked, ask] as const;
}

/** What an address says, if it is one of these; else the first. */
export const oneOf = <T extends string | number>(all: readonly [T, ...T[]], value: string): T =>
  all.find((each) => String(each) === value) ?? all[0];
