/** The data folder, and where the command line finds the process that runs on it. */
import { setting } from '@waypost/settings';

export const DATA_DIR = setting.text('folder of everything that Waypost stores').default('./data');

/** `{ pid, operator }`, the path of its socket. */
export const RUN_FILE = 'run.json';

export class FolderInUse extends Error {
  override readonly name = 'FolderInUse';
}
