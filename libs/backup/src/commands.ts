/** The declarations of `admin backup` and `admin restore`, for one process and for separate ones. */
import { type OperatorCommand, operatorCommand } from '@waypost/command-line';

export interface BackupSummary {
  readonly links: number;
  readonly clicks: number;
  readonly accounts: number;
  /** ISO 8601: when the backup was made. */
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
    options: { dir: { type: 'string', from: 'path', required: true, value: 'DIR', help: 'a new or empty folder' } },
    run: ({ dir }, deps: Deps) => backUp(dir, deps),
    say: (summary) => `Saved ${contents(summary)}.`,
  });

export const restoreCommand = <Deps>(
  restore: (dir: string, deps: Deps) => Promise<BackupSummary>,
): OperatorCommand<Deps> =>
  operatorCommand({
    help: 'Check a backup and load it, where nothing is yet.',
    options: { dir: { type: 'string', from: 'path', required: true, value: 'DIR', help: 'the folder of the backup' } },
    run: ({ dir }, deps: Deps) => restore(dir, deps),
    say: (summary) => `Restored ${contents(summary)}, as of ${summary.made_at}.`,
  });
