/** `admin backup` and `admin restore`, which the all-in-one process and the separate services share. */
import { type OperatorCommand, operatorCommand } from '@waypost/command-line';
import { writeDatedBackup } from './dated.ts';

export const KEEP_MAX = 1_000;

export interface BackupSummary {
  readonly links: number;
  readonly clicks: number;
  readonly accounts: number;
  /** The time when the backup was made, in ISO 8601. */
  readonly made_at: string;
}

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`;
const contents = ({ links, clicks, accounts }: BackupSummary) =>
  `${count(links, 'link')}, ${count(clicks, 'click')}, ${count(accounts, 'account')}`;

export const backupCommand = <Deps>(
  backUp: (dir: string, deps: Deps) => Promise<BackupSummary>,
): OperatorCommand<Deps> =>
  operatorCommand({
    help: 'Write everything that a restore needs into a new folder, also while Waypost runs.',
    options: {
      dir: { type: 'string', from: 'path', required: true, value: 'DIR', help: 'a new or empty folder' },
      keep: { type: 'string', value: 'N', help: 'in DIR, make one that is named by its time, and keep the newest N' },
    },
    run: async ({ dir, keep }, deps: Deps): Promise<BackupSummary & { readonly dir?: string }> =>
      keep === undefined
        ? backUp(dir, deps)
        : writeDatedBackup(dir, new Date(), keepOf(keep), (dated) => backUp(dated, deps)),
    describe: ({ dir, ...summary }) => `Saved ${contents(summary)}${dir === undefined ? '' : ` in ${dir}`}.`,
  });

function keepOf(text: string): number {
  const keep = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (keep < 1 || keep > KEEP_MAX) throw new Error(`--keep must be a whole number from 1 to ${KEEP_MAX}`);
  return keep;
}

export const restoreCommand = <Deps>(
  restore: (dir: string, deps: Deps) => Promise<BackupSummary>,
): OperatorCommand<Deps> =>
  operatorCommand({
    help: 'Check a backup and load it, where nothing is yet.',
    options: { dir: { type: 'string', from: 'path', required: true, value: 'DIR', help: 'the folder of the backup' } },
    run: ({ dir }, deps: Deps) => restore(dir, deps),
    describe: (summary) => `Restored ${contents(summary)}, as of ${summary.made_at}.`,
  });
