import { readTime, TIME_FORMS, UsageError } from '@waypost/command-line';
import type { NewApiKey } from '@waypost/sdk';

interface Options {
  readonly name: string;
  readonly scopes: string;
  readonly expires?: string | undefined;
}

/** The key that is asked for. The API says which scopes there are. */
export const newKeyOf = ({ name, scopes, expires }: Options): NewApiKey => ({
  name,
  scopes: scopes.split(',').map((scope) => scope.trim() as NewApiKey['scopes'][number]),
  ...(expires !== undefined && { expires_at: timeOf('--expires', expires, 1) }),
});

/** ISO 8601, from now (`sign` 1) or before it (-1) if the text is a span. */
export function timeOf(option: string, text: string, sign: 1 | -1): string {
  const time = readTime(text, new Date(), sign);
  if (time === undefined) throw new UsageError(`${option} must be as ${TIME_FORMS}.`);
  return time.toISOString();
}
