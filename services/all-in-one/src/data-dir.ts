import { setting } from '@waypost/settings';

export const DATA_DIR = setting.text('folder of everything that Waypost stores').default('./data');

/** Contains `{ pid, operator }`, where `operator` is the path of the socket for operator commands. */
export const RUN_FILE = 'run.json';

export class FolderInUse extends Error {
  override readonly name = 'FolderInUse';
}
