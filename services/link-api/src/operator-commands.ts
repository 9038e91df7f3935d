/** The operator commands of link-api: accounts, keys, limits, reviews, and the doctor. */
import { type OperatorCommands, operatorCommand } from '@waypost/command-line';
import type { Accounts, ApiKeys, LinkCache, LinkStore } from '@waypost/ports';
import type { LinkApiDeps } from './deps.ts';
import { presentLink } from './endpoints/link-bodies.ts';
import { accountOf, createAccount, createApiKey, createSignInLink, setLimit } from './use-cases/accounts.ts';
import { doctor } from './use-cases/doctor.ts';
import { reviewLink } from './use-cases/review-link.ts';

interface Deps {
  readonly accounts: Accounts;
  readonly keys: ApiKeys;
  readonly links: LinkStore;
  readonly cache: Pick<LinkCache, 'replace'>;
  readonly health: LinkApiDeps['health'];
  readonly baseUrl: string;
  readonly redirectBaseUrl: string;
  readonly now: () => Date;
}

const EMAIL = { type: 'string', required: true, value: 'E', help: 'the e-mail address of the account' } as const;

export const linkApiCommands: OperatorCommands<Deps> = {
  'create-account': operatorCommand({
    help: 'Make an account, and a link to sign in to it.',
    options: {
      email: EMAIL,
      admin: { type: 'boolean', help: 'an administrator' },
      password: { type: 'string', from: 'stdin', help: 'read a password from stdin' },
    },
    run: async ({ email, admin, password }, deps: Deps) => {
      const account = await createAccount(deps, { email, admin, ...(password === undefined ? {} : { password }) });
      return { id: account.id, email: account.email, admin: account.admin, sign_in_url: account.signInUrl };
    },
    say: ({ email, admin, sign_in_url }) =>
      `Made the account ${email}${admin ? ', an administrator' : ''}.\nSign in (once, within an hour): ${sign_in_url}`,
  }),

  'sign-in-link': operatorCommand({
    help: 'Make a new link to sign in; the earlier one stops working.',
    options: { email: EMAIL },
    run: ({ email }, deps: Deps) => createSignInLink(deps, email),
    say: ({ sign_in_url, expires_at }) =>
      `Sign in (once, until ${expires_at}): ${sign_in_url}\nThe earlier link of this account stopped working.`,
  }),

  'create-key': operatorCommand({
    help: 'Make an API key. It is shown once.',
    options: {
      email: EMAIL,
      name: { type: 'string', required: true, value: 'N', help: 'what the key is for' },
      scopes: { type: 'string', required: true, value: 'read,write', help: 'what it may do' },
    },
    run: async ({ email, name, scopes }, deps: Deps) => {
      const wanted = { name, scopes: scopes.split(',').map((scope) => scope.trim()) };
      const key = await createApiKey(deps, (await accountOf(deps, email)).id, wanted);
      return { id: key.id, name: key.name, scopes: key.scopes, key: key.key, created_at: key.createdAt.toISOString() };
    },
    say: ({ key, id }) =>
      `Copy your new key now. This is the only time it is shown.\n${key}\nIts id, to delete it: ${id}`,
  }),

  'delete-key': operatorCommand({
    help: 'Delete an API key; it is refused from the next request on.',
    options: { id: { type: 'string', required: true, value: 'ID', help: 'the id of the key' } },
    run: async (options, deps: Deps) => {
      const { id, deletedAt } = await deps.keys.delete(options.id);
      return { id, deleted_at: deletedAt.toISOString() };
    },
    say: ({ id }) => `Deleted the key ${id}. Whatever uses it is refused from the next request on.`,
  }),

  'set-limit': operatorCommand({
    help: 'Set how many links an account may create in an hour.',
    options: {
      email: EMAIL,
      'creations-per-hour': { type: 'string', required: true, value: 'N', help: 'from 0' },
    },
    run: async ({ email, 'creations-per-hour': limit }, deps: Deps) => {
      const account = await setLimit(deps, email, /^\d{1,10}$/.test(limit) ? Number(limit) : Number.NaN);
      return { email: account.email, creations_per_hour: account.creationsPerHour };
    },
    say: ({ email, creations_per_hour }) => `${email} may create ${creations_per_hour} links per hour.`,
  }),

  review: operatorCommand({
    help: 'Decide on a flagged link.',
    options: {
      slug: { type: 'string', required: true, value: 'S', help: 'the slug of the link' },
      decision: { type: 'string', required: true, oneOf: ['clear', 'keep'], help: 'whether it redirects again' },
      reason: { type: 'string', required: true, value: 'R', help: 'why, for the record' },
    },
    run: async ({ slug, decision, reason }, deps: Deps) => {
      if (reason.trim() === '') throw new Error('--reason must not be empty');
      return presentLink(await reviewLink(deps, slug, { decision, reason: reason.trim() }));
    },
    say: ({ slug, status }) => `The link ${slug} is ${status}.`,
  }),

  doctor: operatorCommand({
    help: 'Look at everything that Waypost depends on, and say what to do.',
    options: {},
    run: (_, deps: Deps) => doctor(deps),
    say: ({ ok, checks }) =>
      [
        ...checks.map((check) => `${check.ok ? 'ok     ' : 'NOT OK '} ${check.name}: ${check.detail}`),
        ok ? 'Everything works.' : 'Not everything works.',
      ].join('\n'),
  }),
};
