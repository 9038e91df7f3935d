import fs from 'node:fs';
import path from 'node:path';
import { ConfigError, setting } from '@waypost/settings';

export const DATA_DIR = setting.folder('Folder for all data of Waypost.').default('./data');

/** Contains `{ pid, operator }`, where `operator` is the path of the socket for operator commands. */
export const RUN_FILE = 'run.json';

export class FolderInUse extends Error {
  override readonly name = 'FolderInUse';
}

/** This file exists from before the first change of a restore until everything is restored. */
export const UNFINISHED_RESTORE = 'restore-unfinished';

/** Waypost makes the first of them before any other file. A folder that was copied may lack it. */
const MARKS = ['lock', 'version.json', 'secrets.json', UNFINISHED_RESTORE];
/** An empty folder may have these, from the file system or to keep it in a repository. */
const NOTHING = ['lost+found', '.gitkeep', '.gitignore'];
const SHOWN = 3;

export const holdsWaypost = (dir: string): boolean => MARKS.some((mark) => fs.existsSync(path.join(dir, mark)));

/** Throws `ConfigError` if the folder holds other files. */
export function expectOwnFolder(dir: string): void {
  const names = fs.existsSync(dir) ? fs.readdirSync(dir).filter((name) => !NOTHING.includes(name)) : [];
  if (names.length === 0 || holdsWaypost(dir)) return;
  const others = [...names.slice(0, SHOWN), ...(names.length > SHOWN ? ['…'] : [])].join(', ');
  throw new ConfigError(
    `DATA_DIR is ${dir}, which contains other files (${others}). Choose a folder that only Waypost uses.`,
  );
}
