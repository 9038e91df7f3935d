/**
 * What operators do and the API does not. `waypost admin` imports this file even when another process runs the command,
 * so each command imports its code only when it runs.
 */
import { OPERATOR } from '@waypost/domain';
import { FORMATS, SOURCES } from '@waypost/moving/names';
import { type OperatorCommands, operatorCommand } from '@waypost/operator';
import type { LinkApiPorts as Deps } from './app.ts';

const EMAIL = { type: 'string', required: true, value: 'E', help: 'E-mail address of the account.' } as const;

const moving = () => import('@waypost/moving');

export const linkApiCommands: OperatorCommands<Deps> = {
  'sign-in-link': operatorCommand({
    help: 'Create a sign-in link for an account. Its previous link stops working.',
    options: { email: EMAIL },
    run: async ({ email }, deps: Deps) =>
      (await import('./accounts/accounts.ts')).createSignInLink(deps, email, OPERATOR),
    describe: ({ sign_in_url, expires_at }) =>
      `Sign-in link (valid once, until ${expires_at}): ${sign_in_url}\nThe previous link of this account no longer works.`,
  }),

  doctor: operatorCommand({
    help: 'Check all dependencies and settings, and suggest fixes.',
    options: {},
    run: async (_, deps: Deps) => (await import('./health/doctor.ts')).doctor(deps),
    describe: ({ ok, checks }) =>
      [
        ...checks.map((check) => `${check.ok ? 'ok     ' : 'NOT OK '} ${check.name}: ${check.detail}`),
        ok ? 'Everything works.' : 'Not everything works.',
      ].join('\n'),
  }),

  import: operatorCommand({
    help: 'Import links from another service, with their slugs, dates and tags. If it is interrupted, run it again to resume.',
    options: {
      email: EMAIL,
      'dry-run': { type: 'boolean', help: 'Check and scan the links, but create nothing.' },
      rows: { type: 'string', required: true, help: 'Up to 500 rows as JSON.' },
    },
    run: async ({ email, 'dry-run': dryRun, rows }, deps: Deps) =>
      (await import('./links/import-batch.command.ts')).importBatch(deps, { email, rows, dryRun }),
    local: {
      argument: 'FILE',
      argumentHelp: 'The export of the other service (- for stdin).',
      options: {
        from: { type: 'string', required: true, oneOf: SOURCES, help: 'The other service.' },
        email: EMAIL,
        'dry-run': { type: 'boolean', help: 'Check and scan the links, but create nothing.' },
      },
      run: async (options, send) => (await moving()).importFile(options, send),
    },
    describe: ({ read, created, skipped, conflicts, clicks, dry_run }) =>
      [
        `${read} rows: ${created} links ${dry_run ? 'would be created' : 'created'}, ${skipped} already existed, ${conflicts.length} not created. ${clicks} clicks.`,
        ...conflicts.map(({ line, slug, why }) => `Line ${line}, ${slug}: ${why}.`),
      ].join('\n'),
  }),

  'export-redirects': operatorCommand({
    help: 'Export the active links of all accounts as redirects for another server.',
    options: { after: { type: 'string', help: 'Only slugs after this one.' } },
    run: async ({ after = '' }, { audit, links }: Deps) => {
      // The next messages of the command continue this export.
      if (after === '') await audit.note({ by: OPERATOR, action: 'link.exported', subject: '' });
      const active = await links.active(after, 1_000);
      return active.map(({ slug, destinationUrl }) => ({ slug, location: new URL(destinationUrl).href }));
    },
    local: {
      argument: 'FILE',
      argumentHelp: 'The file or folder to write to.',
      options: { format: { type: 'string', required: true, oneOf: FORMATS, help: 'The server that reads the file.' } },
      run: async (options, send) => (await moving()).exportRedirects(options, send),
    },
    describe: ({ links, file }) => `${file}: ${links} ${links === 1 ? 'link' : 'links'}`,
  }),
};
