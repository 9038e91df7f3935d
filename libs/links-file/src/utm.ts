/** The campaign parameters of a destination, which web analytics read. */
export const UTM_FIELDS = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const;

export type Utm = Readonly<Partial<Record<(typeof UTM_FIELDS)[number], string>>>;

/** The text may be no URL yet. */
function partsOf(url: string) {
  const [before = '', ...fragment] = url.split('#');
  const [path = '', ...query] = before.split('?');
  return { path, pairs: query.join('?').split('&'), fragment: fragment.map((part) => `#${part}`).join('') };
}

/** The name and value of `name=value`, decoded. Without the `&`, a question mark at the beginning would be removed. */
const decoded = (pair: string) => [...new URLSearchParams(`&${pair}`)][0] ?? ['', ''];

/** Each pair is encoded alone, because `URLSearchParams` would change how the rest of a query is written. */
const encoded = (name: string, value: string) => `${new URLSearchParams([[name, value]])}`.replaceAll('+', '%20');

/** What a form or a cell gives: values without the white space around them, and without empty ones. */
export function utmOf(values: Readonly<Record<string, unknown>>): Utm {
  return Object.fromEntries(
    UTM_FIELDS.flatMap((name) => {
      const value = values[name];
      const text = typeof value === 'string' ? value.trim() : '';
      return text === '' ? [] : [[name, text]];
    }),
  );
}

export const utmIn = (url: string): Utm => utmOf(Object.fromEntries(partsOf(url).pairs.map(decoded)));

/**
 * The destination with these parameters: each replaces the one of the URL where it stands, or follows the query. The
 * rest stays as it is written.
 */
export function withUtm(url: string, utm: Utm): string {
  const remaining = new Map(Object.entries(utmOf(utm)));
  if (url === '' || remaining.size === 0) return url;
  const { path, pairs, fragment } = partsOf(url);
  const names = new Set(remaining.keys());
  const pairsAfter = pairs.flatMap((pair) => {
    const [name = ''] = decoded(pair);
    if (!names.has(name)) return [pair];
    const value = remaining.get(name);
    remaining.delete(name);
    return value === undefined ? [] : [encoded(name, value)];
  });
  const added = [...remaining].map(([name, value]) => encoded(name, value));
  const query = [...(pairsAfter.length === 1 && pairsAfter[0] === '' ? [] : pairsAfter), ...added].join('&');
  return `${path}?${query}${fragment}`;
}

/** The parameters that the URL has already, with another value. */
export function replacedBy(url: string, utm: Utm): readonly string[] {
  const before = utmIn(url);
  return UTM_FIELDS.filter((name) => utm[name] !== undefined && ![undefined, utm[name]].includes(before[name]));
}
