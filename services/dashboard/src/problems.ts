/** `problems` has what the API says of a field, with `#` for each number. Undefined: a newer API says something else. */
export function translated(problems: Readonly<Record<string, string>>, text: string): string | undefined {
  const numbers = text.match(/\d+/g) ?? [];
  return problems[text.replace(/\d+/g, '#')]?.replaceAll('#', () => numbers.shift() ?? '');
}
