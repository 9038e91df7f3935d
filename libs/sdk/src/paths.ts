export const linkPath = (slug: string) => `/links/${pathPart(slug, 'A slug')}`;
export const webhookPath = (id: string) => `/webhooks/${pathPart(id, 'An id')}`;

/** What could not be a slug or an id must not become another path of the API. */
export function pathPart(text: string, what: string): string {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) throw new TypeError(`${what} is made of letters, digits, "_" and "-".`);
  return text;
}

export function queryOf(query: Readonly<Record<string, string | number | readonly string[] | undefined>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value ?? []].flat()) search.append(name, String(each));
  }
  const text = String(search);
  return text === '' ? '' : `?${text}`;
}
