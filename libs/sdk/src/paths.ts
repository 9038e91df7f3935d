/** A value that is not a slug or an id must not lead to another path of the API. */
const PLAIN: Readonly<Record<string, string>> = { slug: 'A slug', webhook: 'An ID', delivery: 'An ID' };

/** Returns whether a text has the characters of slugs and ids. The server knows which ones exist. */
export const isName = (text: string): boolean => /^[A-Za-z0-9_-]+$/.test(text);

/** Throws `TypeError` for a value that cannot be part of the path. */
export function addressOf(template: string, path: Readonly<Record<string, string>>, query: Query): string {
  const filled = template.replace(/\{(\w+)\}/g, (_all, name: string) => {
    const value = path[name] ?? '';
    const what = PLAIN[name];
    if (what !== undefined && !isName(value))
      throw new TypeError(`${what} must contain only letters, digits, "_" and "-".`);
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`"${value}" is not a valid ${name}.`);
    return encodeURIComponent(value);
  });
  return withQuery(filled, query);
}

export type Query = Readonly<Record<string, string | number | readonly (string | number)[] | undefined>>;

export function withQuery(path: string, query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value ?? []].flat()) search.append(name, String(each));
  }
  const text = String(search);
  return text === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${text}`;
}
