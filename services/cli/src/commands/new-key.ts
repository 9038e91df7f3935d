import { UsageError } from '@waypost/command-line';
import type { NewApiKey } from '@waypost/sdk';
import { FLAGS, value } from '../program.ts';
import { readTime, TIME_FORMS } from '../time.ts';

export const SCOPES = () => value('--scopes <LIST>', FLAGS.createKey.scopes.help).makeOptionMandatory();
export const EXPIRES = () => value('--expires <T>', 'Expiry: a duration (90d) or a UTC date. Default: never.');

interface Given {
  readonly scopes: string;
  readonly expires?: string | undefined;
}

export const newKeyOf = (key: Omit<NewApiKey, 'scopes' | 'expires_at'>, { scopes, expires }: Given): NewApiKey => ({
  ...key,
  scopes: scopes.split(',').map((scope) => scope.trim() as NewApiKey['scopes'][number]),
  ...(expires !== undefined && { expires_at: timeOf('--expires', expires, 1) }),
});

/** Returns ISO 8601. A span such as `7d` counts forward from now if `sign` is 1, and back from now if it is -1. */
export function timeOf(option: string, text: string, sign: 1 | -1): string {
  const time = readTime(text, new Date(), sign);
  if (time === undefined) throw new UsageError(`${option} must be ${TIME_FORMS}.`);
  return time.toISOString();
}
