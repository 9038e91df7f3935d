/** Which version of Waypost a data folder is of, so that an earlier program does not open a later folder. */
import fs from 'node:fs';
import path from 'node:path';
import type { KnownMigrations } from '@waypost/backup';
import { ConfigError } from '@waypost/settings';
import Joi from 'joi';

/** One more when something else in the folder changes so that an earlier version cannot read it. */
const FORMAT = 1;
const FILE = 'version.json';

interface FolderVersion {
  readonly format: number;
  /** Of the program, for the message. */
  readonly waypost: string;
  /** The last migration of each store. */
  readonly schemas: { readonly clickhouse: string; readonly postgres: string };
}

const schema = Joi.object<FolderVersion>({
  format: Joi.number().integer().required(),
  waypost: Joi.string().required(),
  schemas: Joi.object({ clickhouse: Joi.string().required(), postgres: Joi.string().required() }).unknown().required(),
})
  .unknown()
  .required();

const PROGRAM_VERSION = (
  JSON.parse(fs.readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version;

/** Throws `ConfigError` for a folder of a later version, and changes nothing in it. A folder without the file is of an earlier one. */
export function expectFolderVersion(dataDir: string, known: KnownMigrations): void {
  const file = path.join(dataDir, FILE);
  let text: string;
  try {
    text = fs.readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const { value: found, error } = schema.validate(parsed(text));
  if (error !== undefined) throw new ConfigError(`${file} is damaged: ${error.message}. Restore a backup.`);
  const isLater =
    found.format > FORMAT ||
    !known.postgres.includes(found.schemas.postgres) ||
    !known.clickhouse.includes(found.schemas.clickhouse);
  if (isLater)
    throw new ConfigError(
      `The data folder ${dataDir} is of Waypost ${found.waypost}; this is ${PROGRAM_VERSION}, which is older and cannot read it. ` +
        'Start the newer version, or restore a backup that is older into an empty folder.',
    );
}

/** Before the first change by this version: a migration that is cut off is not for an earlier version either. */
export function writeFolderVersion(dataDir: string, known: KnownMigrations): void {
  const version: FolderVersion = {
    format: FORMAT,
    waypost: PROGRAM_VERSION,
    schemas: { clickhouse: known.clickhouse.at(-1)!, postgres: known.postgres.at(-1)! },
  };
  const text = `${JSON.stringify(version, null, 2)}\n`;
  const file = path.join(dataDir, FILE);
  if (fs.existsSync(file) && fs.readFileSync(file, 'utf8') === text) return;
  fs.writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true });
  fs.renameSync(`${file}.new`, file);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
