import { isThreatType, THREAT_TYPES } from '@waypost/domain';
import { createAccount, createApiKey, createSignInLink, presentLink, reviewLink, setLimit } from '@waypost/link-api';
import type { Accounts, ApiKeys, LinkCache, LinkStore } from '@waypost/ports';
import { FEED_FORMATS, type FeedFormat, type Scanner } from '@waypost/scanner';
import type { OperatorCommands, OperatorOptions } from './operator.ts';

interface Deps {
  readonly accounts: Accounts;
  readonly keys: ApiKeys;
  readonly links: LinkStore;
  readonly cache: LinkCache;
  readonly baseUrl: string;
  readonly scanner: Pick<Scanner, 'importFeed' | 'listFeeds'>;
  readonly now: () => Date;
}

/** What each `admin` command prints with `--json` (operator interface, Operator commands). */
export function operatorCommands(deps: Deps): OperatorCommands {
  return {
    'create-account': async (options) => {
      const password = options.password === undefined ? {} : { password: text(options, 'password') };
      const account = await createAccount(deps, {
        email: text(options, 'email'),
        admin: options.admin === true,
        ...password,
      });
      return { id: account.id, email: account.email, admin: account.admin, sign_in_url: account.signInUrl };
    },
    'sign-in-link': (options) => createSignInLink(deps, text(options, 'email')),
    'create-key': async (options) => {
      const scopes = text(options, 'scopes')
        .split(',')
        .map((scope) => scope.trim());
      const key = await createApiKey(deps, { email: text(options, 'email'), name: text(options, 'name'), scopes });
      return { id: key.id, name: key.name, scopes: key.scopes, key: key.key, created_at: key.createdAt.toISOString() };
    },
    'delete-key': async (options) => {
      const { id, deletedAt } = await deps.keys.delete(text(options, 'id'));
      return { id, deleted_at: deletedAt.toISOString() };
    },
    'set-limit': async (options) => {
      const limit = text(options, 'creations-per-hour');
      const account = await setLimit(
        deps,
        text(options, 'email'),
        /^\d{1,10}$/.test(limit) ? Number(limit) : Number.NaN,
      );
      return { email: account.email, creations_per_hour: account.creationsPerHour };
    },
    'import-feed': async (options) => {
      const [name, format, threatType] = [text(options, 'name'), text(options, 'format'), text(options, 'threat-type')];
      if (!isFeedFormat(format)) throw new Error(`--format must be one of ${FEED_FORMATS.join(', ')}`);
      if (!isThreatType(threatType)) throw new Error(`--threat-type must be one of ${THREAT_TYPES.join(', ')}`);
      return deps.scanner.importFeed(
        { text: Buffer.from(text(options, 'content'), 'base64').toString() },
        { name, format, threatType },
      );
    },
    feeds: async () => deps.scanner.listFeeds(),
    review: async (options) => {
      const decision = text(options, 'decision');
      if (decision !== 'clear' && decision !== 'keep') throw new Error('--decision must be clear or keep');
      const reason = text(options, 'reason').trim();
      if (reason === '') throw new Error('--reason must not be empty');
      return presentLink(await reviewLink(deps, text(options, 'slug'), { decision, reason }));
    },
  };
}

function text(options: OperatorOptions, name: string): string {
  const value = options[name];
  if (typeof value !== 'string') throw new Error(`--${name} is missing`);
  return value;
}

function isFeedFormat(text: string): text is FeedFormat {
  return (FEED_FORMATS as readonly string[]).includes(text);
}
