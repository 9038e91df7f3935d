import type { NewApiKey } from '@waypost/sdk';
import { FLAGS, value } from '../program.ts';
import { timeOf } from '../time.ts';

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
