/**
 * The commands that the all-in-one process and the separate services share: backup, restore and export-revoked. Every
 * `waypost admin` imports this file, so what is large is imported when a command runs.
 */
import { open } from 'node:fs/promises';
import { writeWhole } from '@waypost/command-line';
import { CommandMistake, type OperatorCommand, operatorCommand } from '@waypost/operator';
import type { Lines, LinkArchive, Revised, Revision } from '@waypost/ports';
import type { Cipher } from './age.ts';

export const KEEP_MAX = 1_000;

export interface BackupSummary {
  readonly links: number;
  readonly clicks: number;
  readonly accounts: number;
  /** The time when the backup was made, in ISO 8601. */
  readonly made_at: string;
}

export type RestoreSummary = BackupSummary & Revised;

export interface RestoreOptions {
  readonly revision: Omit<Revision, 'madeAt'>;
  readonly decrypt: Cipher | undefined;
}

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`;
const contents = ({ links, clicks, accounts }: BackupSummary) =>
  `${count(links, 'link')}, ${count(clicks, 'click')}, ${count(accounts, 'account')}`;

export const backupCommand = <Deps>(
  backUp: (dir: string, deps: Deps, encrypt: Cipher | undefined) => Promise<BackupSummary>,
): OperatorCommand<Deps> =>
  operatorCommand({
    help: 'Create a backup in a new folder. Works while Waypost runs.',
    options: {
      dir: { type: 'string', from: 'path', required: true, value: 'DIR', help: 'A new or empty folder.' },
      keep: {
        type: 'string',
        value: 'N',
        help: 'Create a folder named by the current time in DIR, and keep the newest N backups.',
      },
      'encrypt-to': {
        type: 'string',
        value: 'age1…',
        help: 'Encrypt the backup to these public keys of age, separated by commas.',
      },
    },
    run: async (
      { dir, keep, 'encrypt-to': recipients },
      deps: Deps,
    ): Promise<BackupSummary & { readonly dir?: string }> => {
      const encrypt = recipients === undefined ? undefined : (await import('./age.ts')).encryptTo(recipients);
      const write = (folder: string) => backUp(folder, deps, encrypt);
      if (keep === undefined) return write(dir);
      const { writeDatedBackup } = await import('./dated.ts');
      return writeDatedBackup(dir, new Date(), keepOf(keep), write);
    },
    describe: ({ dir, ...summary }) => `Saved ${contents(summary)}${dir === undefined ? '' : ` in ${dir}`}.`,
  });

function keepOf(text: string): number {
  const keep = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (keep < 1 || keep > KEEP_MAX) throw new CommandMistake(`--keep must be a whole number from 1 to ${KEEP_MAX}`);
  return keep;
}

export const restoreCommand = <Deps>(
  restore: (dir: string, deps: Deps, options: RestoreOptions) => Promise<RestoreSummary>,
): OperatorCommand<Deps> =>
  operatorCommand({
    help: 'Restore a backup into an empty Waypost. Later deletions and revocations are undone, unless --revoke lists them.',
    options: {
      dir: { type: 'string', from: 'path', required: true, value: 'DIR', help: 'The folder of the backup.' },
      identity: { type: 'string', value: 'FILE', help: 'File with the secret key of age, for an encrypted backup.' },
      revoke: {
        type: 'string',
        value: 'FILE',
        help: 'List of what must stay deleted or revoked: from export-revoked, or one slug per line.',
      },
      'delete-keys': { type: 'boolean', help: 'Delete all API keys of the backup.' },
      'webhooks-off': {
        type: 'boolean',
        help: 'Disable all webhooks, for example for a test.',
      },
    },
    run: async ({ dir, identity, revoke, 'delete-keys': deleteKeys, 'webhooks-off': webhooksOff }, deps: Deps) => {
      const decrypt = identity === undefined ? undefined : await (await import('./age.ts')).decryptWith(identity);
      const revoked = revoke === undefined ? undefined : await openRevoked(revoke);
      return restore(dir, deps, { decrypt, revision: { revoked, deleteKeys, webhooksOff } });
    },
    describe: (summary) =>
      [`Restored ${contents(summary)}, as of ${summary.made_at}.`, ...backAgain(summary), ...notBack(summary)].join(
        '\n',
      ),
  });

/** The first line of a list from `export-revoked` names its columns. */
const HEADER = 'kind,';
const BOM = Buffer.from('\ufeff');

/** Fails before the restore begins if the file cannot be read. */
async function openRevoked(file: string): Promise<Revision['revoked']> {
  await using handle = await open(file);
  const most = BOM.length + HEADER.length;
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(most), 0, most, 0);
  // An editor or a spreadsheet may add it. PostgreSQL would take it as a part of the first word.
  const start = buffer.indexOf(BOM) === 0 ? BOM.length : 0;
  const slugsOnly = !buffer.toString('utf8', start, bytesRead).startsWith(HEADER);
  return { slugsOnly, lines: () => readLines(file, start) };
}

async function* readLines(file: string, start: number): Lines {
  await using handle = await open(file);
  yield* handle.createReadStream({ autoClose: false, start });
}

function backAgain({ back, made_at }: RestoreSummary): string[] {
  return [
    `What was deleted, revoked or suspended after ${made_at} is back, except for the changes listed below. The data now has:`,
    `  ${count(back.redirecting_links, 'link')} that redirect${back.redirecting_links === 1 ? 's' : ''}`,
    `  ${count(back.keys, 'API key')}, ${count(back.passkeys, 'passkey')}, ${count(back.passwords, 'password')}, ${count(back.identities, 'sign-in')} at a provider`,
    `  ${count(back.suspended_accounts, 'suspended account')}`,
    `  ${count(back.webhooks, 'webhook')}; ${count(back.webhook_messages, 'message')} will be sent when Waypost starts`,
  ];
}

function notBack({ revoked, accounts_to_delete }: RestoreSummary): string[] {
  const changes = [
    `${count(revoked.links_revoked, 'link')} revoked`,
    `${revoked.links_flagged} flagged`,
    `${count(revoked.slugs_reserved, 'slug')} reserved`,
    `${count(revoked.keys, 'API key')} deleted`,
    `${count(revoked.passkeys, 'passkey')} deleted`,
    `${count(revoked.passwords, 'password')} removed`,
    `${count(revoked.webhooks, 'webhook')} deleted`,
    `${count(revoked.accounts_suspended, 'account')} suspended`,
  ];
  return [
    `Applied from the list and options: ${changes.join(', ')}.`,
    ...(accounts_to_delete.length === 0
      ? []
      : [
          `These accounts were deleted after the backup. They are suspended now; delete them again: ${accounts_to_delete.join(', ')}`,
        ]),
  ];
}

export const exportRevokedCommand = <Deps>(
  archived: (deps: Deps, use: (archive: LinkArchive) => Promise<number>) => Promise<number>,
): OperatorCommand<Deps> =>
  operatorCommand({
    help: 'Export all slugs with their states, deletions and suspensions, for restore --revoke.',
    options: {
      file: {
        type: 'string',
        from: 'path',
        required: true,
        value: 'FILE',
        help: 'The file to write.',
      },
    },
    run: async ({ file }, deps: Deps) => ({
      file,
      lines: await archived(deps, (archive) => archive.saveRevoked((rows) => writeWhole(file, rows))),
    }),
    describe: ({ file, lines }) => `${file}: ${count(lines, 'line')}`,
  });
