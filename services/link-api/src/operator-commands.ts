import { CommandMistake, type OperatorCommands, operatorCommand, readTime, TIME_FORMS } from '@waypost/command-line';
import { OPERATOR, THREAT_TYPES } from '@waypost/domain';
import { FORMATS, SOURCES } from '@waypost/moving/names';
import { presentAccount } from './accounts/accounts.schema.ts';
import { accountOf, createAccount, createSignInLink } from './accounts/accounts.ts';
import { setLimit } from './accounts/set-limit.ts';
import type { LinkApiPorts as Deps } from './app.ts';
import { aboutAccount } from './audit/index.ts';
import { presentCredentials } from './credentials/credentials.endpoint.ts';
import { secureAccount } from './credentials/credentials.ts';
import { doctor } from './health/doctor.ts';
import { createApiKey } from './keys/create.ts';
import { deleteApiKey } from './keys/delete.ts';
import { presentDeletedKey, presentKeyList } from './keys/keys.schema.ts';
import { importBatch } from './links/import-batch.command.ts';
import { presentLink } from './links/links.schema.ts';
import { reviewLink } from './moderation/review-link.ts';
import { resumeAccount, suspendAccount } from './moderation/suspend.ts';
import { takeDownLink } from './moderation/take-down-link.ts';
import { deleteAccount } from './privacy/delete.ts';

const EMAIL = { type: 'string', required: true, value: 'E', help: 'the e-mail address of the account' } as const;
const SLUG = { type: 'string', required: true, value: 'S', help: 'the slug of the link' } as const;
const REASON = { type: 'string', required: true, value: 'R', help: 'why, for the record' } as const;

/** The API has the same limit: one line of at most 1,000 characters. */
function reasonOf(reason: string): string {
  const trimmed = reason.trim();
  if (trimmed === '' || trimmed.length > 1000 || /\p{Cc}/u.test(trimmed))
    throw new CommandMistake('--reason must be one line of 1 to 1000 characters');
  return trimmed;
}

function timeOf(option: string, text: string, now: Date, sign: 1 | -1): Date {
  const time = readTime(text, now, sign);
  if (time === undefined) throw new CommandMistake(`--${option} must be as ${TIME_FORMS}`);
  return time;
}

/** Returns a whole number from 1 to `max`. The default is `max`. */
function countOf(option: string, text: string | undefined, max: number): number {
  const count = text === undefined ? max : Number(/^\d{1,9}$/.test(text) ? text : Number.NaN);
  if (!(count >= 1 && count <= max)) throw new CommandMistake(`--${option} must be a whole number from 1 to ${max}`);
  return count;
}

type Credentials = Awaited<ReturnType<typeof presentCredentials>>;

const idsIn = ({ passkeys, identities, keys, webhooks }: Credentials): string[] =>
  [...passkeys, ...identities, ...keys, ...webhooks].map((each) => each.id);

const describeCredentials = ({ email, has_password, ...all }: Credentials) =>
  [
    `${email} has ${has_password ? 'a' : 'no'} password, and:`,
    ...all.sessions.map(
      ({ id, browser, system, country, started_at, last_used_at }) =>
        `session   ${id}  ${browser} on ${system}, ${country}, from ${started_at}, last used ${last_used_at}`,
    ),
    ...all.passkeys.map(({ id, name, created_at }) => `passkey   ${id}  ${name}, added ${created_at}`),
    ...all.identities.map(({ id, issuer, created_at }) => `identity  ${id}  ${issuer}, added ${created_at}`),
    ...all.keys.map(
      ({ id, name, scopes, created_at }) => `key       ${id}  ${name} (${scopes.join(', ')}), added ${created_at}`,
    ),
    ...all.webhooks.map(({ id, url, created_at }) => `webhook   ${id}  ${url}, added ${created_at}`),
  ].join('\n');

const lines = (rows: readonly string[]) => (rows.length === 0 ? 'None.' : rows.join('\n'));

/** This module is imported only when needed, so that services do not load it when they start. */
const moving = () => import('@waypost/moving');

export const linkApiCommands: OperatorCommands<Deps> = {
  'create-account': operatorCommand({
    help: 'Make an account, and a link to sign in to it.',
    options: {
      email: EMAIL,
      admin: { type: 'boolean', help: 'an administrator' },
      password: { type: 'string', from: 'stdin', help: 'read a password from stdin' },
    },
    run: async ({ email, admin, password }, deps: Deps) => {
      const account = { email, admin, ...(password === undefined ? {} : { password }), signInLink: true };
      const created = await createAccount(deps, account, OPERATOR);
      return { id: created.id, email: created.email, admin: created.admin, sign_in_url: created.sign_in_url };
    },
    describe: ({ email, admin, sign_in_url }) =>
      `Made the account ${email}${admin ? ', an administrator' : ''}.\nSign in (once, within an hour): ${sign_in_url}`,
  }),

  'sign-in-link': operatorCommand({
    help: 'Make a new link to sign in; the earlier one stops working.',
    options: { email: EMAIL },
    run: ({ email }, deps: Deps) => createSignInLink(deps, email, OPERATOR),
    describe: ({ sign_in_url, expires_at }) =>
      `Sign in (once, until ${expires_at}): ${sign_in_url}\nThe earlier link of this account stopped working.`,
  }),

  'create-key': operatorCommand({
    help: 'Make an API key. It is shown once.',
    options: {
      email: EMAIL,
      name: { type: 'string', required: true, value: 'N', help: 'what the key is for' },
      scopes: { type: 'string', required: true, value: 'read,write', help: 'what it may do' },
      expires: { type: 'string', value: '90d', help: 'when it ends: after so long, or a date; never without it' },
    },
    run: async ({ email, name, scopes, expires }, deps: Deps) => {
      const expiresAt = expires === undefined ? undefined : timeOf('expires', expires, deps.now(), 1);
      const newKey = { name, scopes: scopes.split(',').map((scope) => scope.trim()), expiresAt };
      const created = await createApiKey(deps, (await accountOf(deps, email)).id, newKey, OPERATOR);
      const { id, key, createdAt } = created;
      return {
        id,
        name: created.name,
        scopes: created.scopes,
        key,
        created_at: createdAt.toISOString(),
        ...(created.expiresAt && { expires_at: created.expiresAt.toISOString() }),
      };
    },
    describe: ({ key, id }) =>
      `Copy your new key now. This is the only time it is shown.\n${key}\nIts id, to delete it: ${id}`,
  }),

  'delete-key': operatorCommand({
    help: 'Delete an API key; it is refused from the next request on.',
    options: { id: { type: 'string', required: true, value: 'ID', help: 'the id of the key' } },
    run: async ({ id }, deps: Deps) =>
      presentDeletedKey(await deleteApiKey(deps, id, { accountId: undefined }, OPERATOR)),
    describe: ({ id }) => `Deleted the key ${id}. Whatever uses it is refused from the next request on.`,
  }),

  'set-limit': operatorCommand({
    help: 'Set how many links an account may create in an hour.',
    options: {
      email: EMAIL,
      'creations-per-hour': { type: 'string', required: true, value: 'N', help: 'from 0' },
    },
    run: async ({ email, 'creations-per-hour': limit }, deps: Deps) => {
      const account = await setLimit(deps, email, /^\d{1,10}$/.test(limit) ? Number(limit) : Number.NaN, OPERATOR);
      return { email: account.email, creations_per_hour: account.creationsPerHour };
    },
    describe: ({ email, creations_per_hour }) => `${email} may create ${creations_per_hour} links per hour.`,
  }),

  review: operatorCommand({
    help: 'Decide on a flagged link.',
    options: {
      slug: SLUG,
      decision: { type: 'string', required: true, oneOf: ['clear', 'keep'], help: 'whether it redirects again' },
      reason: REASON,
    },
    run: async ({ slug, decision, reason }, deps: Deps) =>
      presentLink(await reviewLink(deps, slug, { decision, reason: reasonOf(reason) }, OPERATOR)),
    describe: ({ slug, status }) => `The link ${slug} is ${status}.`,
  }),

  doctor: operatorCommand({
    help: 'Look at everything that Waypost depends on, and say what to do.',
    options: {},
    run: (_, deps: Deps) => doctor(deps),
    describe: ({ ok, checks }) =>
      [
        ...checks.map((check) => `${check.ok ? 'ok     ' : 'NOT OK '} ${check.name}: ${check.detail}`),
        ok ? 'Everything works.' : 'Not everything works.',
      ].join('\n'),
  }),

  'take-down': operatorCommand({
    help: 'Flag any link that is not revoked: it redirects nobody, and its owner reads why.',
    options: {
      slug: SLUG,
      'threat-type': { type: 'string', required: true, oneOf: THREAT_TYPES, value: 'T', help: THREAT_TYPES.join(', ') },
      reason: REASON,
    },
    run: async ({ slug, 'threat-type': threatType, reason }, deps: Deps) =>
      presentLink(await takeDownLink(deps, slug, { threatType, reason: reasonOf(reason) }, OPERATOR)),
    describe: ({ slug, status }) => `The link ${slug} is ${status}. A review can clear it.`,
  }),

  'list-accounts': operatorCommand({
    help: 'The accounts, the newest first, 1,000 on a page.',
    options: {
      search: { type: 'string', value: 'TEXT', help: 'only with this text in the e-mail address' },
      page: { type: 'string', value: 'N', help: 'from 1' },
    },
    run: async ({ search, page = '1' }, deps: Deps) => {
      const query = { page: countOf('page', page, 1e6), limit: 1_000, ...(search !== undefined && { search }) };
      const { accounts } = await deps.accounts.list(query);
      return accounts.map(presentAccount).map(({ suspension_reason: _reason, ...account }) => account);
    },
    describe: (accounts) =>
      lines(
        accounts.map(
          ({ email, admin, suspended_at }) =>
            `${email}${admin ? ', an administrator' : ''}${suspended_at === null ? '' : `, suspended ${suspended_at}`}`,
        ),
      ),
  }),

  'suspend-account': operatorCommand({
    help: 'Refuse all keys and sessions of an account from the next request on; its links stay as they are.',
    options: {
      email: EMAIL,
      reason: { type: 'string', value: 'R', help: 'why; its owner reads it' },
      lift: { type: 'boolean', help: 'end the suspension' },
    },
    run: async ({ email, reason, lift }, deps: Deps) => {
      const account = lift
        ? await resumeAccount(deps, email, OPERATOR)
        : await suspendAccount(deps, email, reason === undefined ? null : reasonOf(reason), OPERATOR);
      return { email: account.email, suspended_at: account.suspendedAt?.toISOString() ?? null };
    },
    describe: ({ email, suspended_at }) =>
      suspended_at === null ? `${email} is not suspended.` : `${email} is suspended.`,
  }),

  'delete-account': operatorCommand({
    help: 'Delete an account for good: its links stop, their slugs stay reserved, everything else about it is erased.',
    options: {
      email: EMAIL,
      yes: { type: 'boolean', help: 'needed: nobody can undo it' },
    },
    run: async ({ email, yes }, deps: Deps) => {
      if (!yes) throw new CommandMistake(`this deletes ${email} for good: say --yes`);
      const { deletedAt } = await deleteAccount(deps, email, OPERATOR);
      return { email, deleted_at: deletedAt.toISOString() };
    },
    describe: ({ email }) => `Deleted ${email}. Its links stop within seconds of Waypost running.`,
  }),

  'list-keys': operatorCommand({
    help: 'The active API keys of an account, the newest first.',
    options: { email: EMAIL },
    run: async ({ email }, deps: Deps) => {
      const { id } = await accountOf(deps, email);
      await deps.audit.read(aboutAccount(OPERATOR, 'account.keys_read', id));
      const keys = await deps.keys.list(id);
      return presentKeyList(keys).data.map(({ hint: _hint, ...key }) => key);
    },
    describe: (keys) =>
      lines(
        keys.map(
          ({ id, name, scopes, last_used_at, expires_at }) =>
            `${id}  ${name} (${scopes.join(', ')}), last used ${last_used_at ?? 'never'}, ends ${expires_at ?? 'never'}`,
        ),
      ),
  }),

  'list-credentials': operatorCommand({
    help: 'What lets people into an account: sessions, passkeys, identities, keys and webhooks, with their ids.',
    options: { email: EMAIL },
    run: async ({ email }, deps: Deps) => {
      const { id } = await accountOf(deps, email);
      await deps.audit.read(aboutAccount(OPERATOR, 'account.keys_read', id));
      return presentCredentials(deps, id);
    },
    describe: describeCredentials,
  }),

  'secure-account': operatorCommand({
    help: 'Throw everybody out of an account: end its sessions and sign-in link, and remove what you name.',
    options: {
      email: EMAIL,
      remove: {
        type: 'string',
        value: 'ID,ID',
        help: 'passkeys, identities, keys and webhooks to remove, by their ids',
      },
      all: { type: 'boolean', help: 'remove all of them' },
      password: { type: 'boolean', help: 'remove the password, too; its owner then needs a sign-in link' },
    },
    run: async ({ email, remove, all, password }, deps: Deps) => {
      if (all && remove !== undefined) throw new CommandMistake('give --remove or --all, not both');
      const { id } = await accountOf(deps, email);
      const ids = all
        ? idsIn(await presentCredentials(deps, id))
        : (remove?.split(',').map((each) => each.trim()) ?? []);
      await secureAccount(deps, id, { ids, password }, OPERATOR);
      return presentCredentials(deps, id);
    },
    describe: (remaining) =>
      `The sessions and the sign-in link have ended. What is left:\n${describeCredentials(remaining)}`,
  }),

  audit: operatorCommand({
    help: 'What administrators and operators did and read, every sign-in, and every change to accounts, keys and webhooks; the newest first.',
    options: {
      since: { type: 'string', value: 'T', help: 'only from then on: 7d ago, or a date' },
      limit: { type: 'string', value: 'N', help: 'at most so many; 1,000 without it' },
      actor: { type: 'string', value: 'E', help: 'only by this account, or by operator' },
      subject: { type: 'string', value: 'S', help: 'only about this account, key or slug' },
    },
    run: async ({ since, limit, actor, subject }, deps: Deps) => {
      const entries = await deps.audit.list({
        limit: countOf('limit', limit, 1_000),
        ...(since !== undefined && { since: timeOf('since', since, deps.now(), -1) }),
        ...(actor !== undefined && { actor }),
        ...(subject !== undefined && { subject }),
      });
      return entries.map(({ at, outcome, detail, ...entry }) => ({
        at: at.toISOString(),
        actor: entry.actor,
        action: entry.action,
        subject: entry.subject,
        detail: outcome === 'refused' ? `refused: ${detail}` : detail,
      }));
    },
    describe: (entries) =>
      lines(
        entries.map(({ at, actor, action, subject, detail }) => `${at}  ${actor}  ${action}  ${subject}  ${detail}`),
      ),
  }),

  import: operatorCommand({
    help: 'Make the links of another service, with their slugs, dates and tags. Run again, it goes on.',
    options: {
      email: EMAIL,
      'dry-run': { type: 'boolean', help: 'check and scan, but make nothing' },
      rows: { type: 'string', required: true, help: 'up to 500 rows as JSON' },
    },
    run: ({ email, 'dry-run': dryRun, rows }, deps: Deps) => importBatch(deps, { email, rows, dryRun }),
    local: {
      words: {
        argument: 'FILE',
        argumentHelp: 'what the service exported; - is stdin',
        options: {
          from: { type: 'string', required: true, oneOf: SOURCES, help: 'the service' },
          email: EMAIL,
          'dry-run': { type: 'boolean', help: 'check and scan, but make nothing' },
        },
      },
      run: async (options, send) => (await moving()).importFile(options, send),
    },
    describe: ({ read, created, skipped, conflicts, clicks }) =>
      [
        `${read} rows: ${created} links made, ${skipped} there already, ${conflicts.length} not made. ${clicks} clicks.`,
        ...conflicts.map(({ line, slug, why }) => `Line ${line}, ${slug}: ${why}.`),
      ].join('\n'),
  }),

  'export-redirects': operatorCommand({
    help: 'Write the active links of all accounts for another server, so that they outlive this one.',
    options: { after: { type: 'string', help: 'the slug before the first' } },
    run: async ({ after = '' }, { audit, links }: Deps) => {
      // The next messages of the command continue this export.
      if (after === '') await audit.note({ by: OPERATOR, action: 'link.exported', subject: '' });
      const active = await links.active(after, 1_000);
      return active.map(({ slug, destinationUrl }) => ({ slug, location: new URL(destinationUrl).href }));
    },
    local: {
      words: {
        argument: 'FILE',
        argumentHelp: 'what to write; in a folder, the file has the usual name',
        options: { format: { type: 'string', required: true, oneOf: FORMATS, help: 'for which server' } },
      },
      run: async (options, send) => (await moving()).exportRedirects(options, send),
    },
    describe: ({ links, file }) => `${file}: ${links} ${links === 1 ? 'link' : 'links'}`,
  }),
};
