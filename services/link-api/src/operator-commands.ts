/**
 * What operators do and the API does not. `waypost admin` imports this file even when another process runs the command,
 * so each command imports its code only when it runs.
 */
import { OPERATOR } from '@waypost/domain';
import { FORMATS, SOURCES } from '@waypost/moving/names';
import { type OperatorCommands, operatorCommand } from '@waypost/operator';
import type { LinkApiPorts as Deps } from './app.ts';

const EMAIL = { type: 'string', required: true, value: 'E', help: 'the e-mail address of the account' } as const;

const moving = () => import('@waypost/moving');

export const linkApiCommands: OperatorCommands<Deps> = {
  'sign-in-link': operatorCommand({
    help: 'Make a new link to sign in; the earlier one stops working.',
    options: { email: EMAIL },
    run: async ({ email }, deps: Deps) =>
      (await import('./accounts/accounts.ts')).createSignInLink(deps, email, OPERATOR),
    describe: ({ sign_in_url, expires_at }) =>
      `Sign in (once, until ${expires_at}): ${sign_in_url}\nThe earlier link of this account stopped working.`,
  }),

  doctor: operatorCommand({
    help: 'Look at everything that Waypost depends on, and say what to do.',
    options: {},
    run: async (_, deps: Deps) => (await import('./health/doctor.ts')).doctor(deps),
    describe: ({ ok, checks }) =>
      [
        ...checks.map((check) => `${check.ok ? 'ok     ' : 'NOT OK '} ${check.name}: ${check.detail}`),
        ok ? 'Everything works.' : 'Not everything works.',
      ].join('\n'),
  }),

  import: operatorCommand({
    help: 'Make the links of another service, with their slugs, dates and tags. Run again, it goes on.',
    options: {
      email: EMAIL,
      'dry-run': { type: 'boolean', help: 'check and scan, but make nothing' },
      rows: { type: 'string', required: true, help: 'up to 500 rows as JSON' },
    },
    run: async ({ email, 'dry-run': dryRun, rows }, deps: Deps) =>
      (await import('./links/import-batch.command.ts')).importBatch(deps, { email, rows, dryRun }),
    local: {
      argument: 'FILE',
      argumentHelp: 'what the service exported; - is stdin',
      options: {
        from: { type: 'string', required: true, oneOf: SOURCES, help: 'the service' },
        email: EMAIL,
        'dry-run': { type: 'boolean', help: 'check and scan, but make nothing' },
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
      argument: 'FILE',
      argumentHelp: 'what to write; in a folder, the file has the usual name',
      options: { format: { type: 'string', required: true, oneOf: FORMATS, help: 'for which server' } },
      run: async (options, send) => (await moving()).exportRedirects(options, send),
    },
    describe: ({ links, file }) => `${file}: ${links} ${links === 1 ? 'link' : 'links'}`,
  }),
};
