/** The operator commands that are link-api's: accounts, keys, limits, reviews. What each prints with `--json`. */
import type { Accounts, ApiKeys, LinkCache, LinkStore } from '@waypost/ports';
import { flagOption, type OperatorCommands, takes, textOption } from '@waypost/service-kit';
import { presentLink } from './endpoints/link-bodies.ts';
import { createAccount, createApiKey, createSignInLink, setLimit } from './use-cases/accounts.ts';
import { reviewLink } from './use-cases/review-link.ts';

interface Deps {
  readonly accounts: Accounts;
  readonly keys: ApiKeys;
  readonly links: LinkStore;
  readonly cache: Pick<LinkCache, 'replace'>;
  readonly baseUrl: string;
  readonly now: () => Date;
}

export function linkApiCommands(deps: Deps): OperatorCommands {
  return {
    'create-account': takes(['email', 'admin', 'password'], async (options) => {
      const password = options.password === undefined ? {} : { password: textOption(options, 'password') };
      const email = textOption(options, 'email');
      const account = await createAccount(deps, { email, admin: flagOption(options, 'admin'), ...password });
      return { id: account.id, email: account.email, admin: account.admin, sign_in_url: account.signInUrl };
    }),
    'sign-in-link': takes(['email'], (options) => createSignInLink(deps, textOption(options, 'email'))),
    'create-key': takes(['email', 'name', 'scopes'], async (options) => {
      const scopes = textOption(options, 'scopes')
        .split(',')
        .map((scope) => scope.trim());
      const key = await createApiKey(deps, {
        email: textOption(options, 'email'),
        name: textOption(options, 'name'),
        scopes,
      });
      return { id: key.id, name: key.name, scopes: key.scopes, key: key.key, created_at: key.createdAt.toISOString() };
    }),
    'delete-key': takes(['id'], async (options) => {
      const { id, deletedAt } = await deps.keys.delete(textOption(options, 'id'));
      return { id, deleted_at: deletedAt.toISOString() };
    }),
    'set-limit': takes(['email', 'creations-per-hour'], async (options) => {
      const limit = textOption(options, 'creations-per-hour');
      const number = /^\d{1,10}$/.test(limit) ? Number(limit) : Number.NaN;
      const account = await setLimit(deps, textOption(options, 'email'), number);
      return { email: account.email, creations_per_hour: account.creationsPerHour };
    }),
    review: takes(['slug', 'decision', 'reason'], async (options) => {
      const decision = textOption(options, 'decision');
      if (decision !== 'clear' && decision !== 'keep') throw new Error('--decision must be clear or keep');
      const reason = textOption(options, 'reason').trim();
      if (reason === '') throw new Error('--reason must not be empty');
      return presentLink(await reviewLink(deps, textOption(options, 'slug'), { decision, reason }));
    }),
  };
}
