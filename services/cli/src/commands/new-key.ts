import { readTime, TIME_FORMS, UsageError } from '@waypost/command-line';
import type { NewApiKey } from '@waypost/sdk';

interface Options {
  readonly name: string;
  readonly scopes: string;
  readonly expires?: string | undefined;
}

export const newKeyOf = ({ name, scopes, expires }: Options): NewApiKey => ({
  name,
  scopes: scopes.split(',').map((scope) => scope.trim() as NewApiKey['scopes'][number]),
  ...(expires !== undefined && { expires_at: timeOf('--expires', expires, 1) }),
});

/** Returns ISO 8601. A span such as `7d` counts forward from now if `sign` is 1, and back from now if it is -1. */
export function timeOf(option: string, text: string, sign: 1 | -1): string {
  const time = readTime(text, new Date(), sign);
  if (time === undefined) throw new UsageError(`${option} must be as ${TIME_FORMS}.`);
  return time.toISOString();
}
