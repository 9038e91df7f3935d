/** The keys of `problems` are texts of the API, with `#` for each number. Undefined without a translation. */
export function translate(problems: Readonly<Record<string, string>>, text: string): string | undefined {
  const numbers = text.match(/\d+/g) ?? [];
  return problems[text.replace(/\d+/g, '#')]?.replaceAll('#', () => numbers.shift() ?? '');
}
