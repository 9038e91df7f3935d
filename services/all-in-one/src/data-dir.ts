import fs from 'node:fs';
import { ConfigError, setting } from '@waypost/settings';

export const DATA_DIR = setting.text('folder of everything that Waypost stores').default('./data');

/** Contains `{ pid, operator }`, where `operator` is the path of the socket for operator commands. */
export const RUN_FILE = 'run.json';

export class FolderInUse extends Error {
  override readonly name = 'FolderInUse';
}

/** Waypost makes the first of them before any other file. A folder that was copied may lack it. */
const MARKS = ['lock', 'version.json', 'secrets.json'];
/** What a folder has that is made for Waypost: by the file system, or to keep it in a repository. */
const NOTHING = ['lost+found', '.gitkeep', '.gitignore'];
const SHOWN = 3;

/** Makes the folder if it is missing. Throws `ConfigError` if it cannot be the data folder. */
export function prepareDataDir(dir: string): void {
  let names: readonly string[];
  try {
    fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
    names = fs.readdirSync(dir).filter((name) => !NOTHING.includes(name));
    fs.accessSync(dir, fs.constants.W_OK | fs.constants.X_OK);
  } catch (error) {
    throw new ConfigError(`DATA_DIR is ${dir}, ${problemOf(error as NodeJS.ErrnoException, dir)}.`);
  }
  if (names.length === 0 || MARKS.some((mark) => names.includes(mark))) return;
  const others = [...names.slice(0, SHOWN), ...(names.length > SHOWN ? ['…'] : [])].join(', ');
  throw new ConfigError(`DATA_DIR is ${dir}, which holds other files (${others}): Waypost needs a folder of its own.`);
}

function problemOf({ code, message }: NodeJS.ErrnoException, dir: string): string {
  switch (code) {
    case 'EEXIST':
      return 'which is a file and no folder';
    case 'ENOTDIR':
      return 'which is below a file';
    case 'EACCES':
      return `which user ${process.getuid?.()} may not use${ownerOf(dir)}`;
    case 'EROFS':
      return 'which is on a file system that cannot be written';
    default:
      return `which cannot be used: ${message}`;
  }
}

function ownerOf(dir: string): string {
  try {
    return `: it belongs to user ${fs.statSync(dir).uid}`;
  } catch {
    return ''; // it cannot be seen, or is not there
  }
}
