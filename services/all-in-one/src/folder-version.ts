/**
 * An earlier version of Waypost must not open the data folder of a later version. The file `version.json` prevents
 * that.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { KnownMigrations } from '@waypost/backup';
import { parsedJson } from '@waypost/domain';
import { ConfigError } from '@waypost/settings';
import Joi from 'joi';

/** Raise it when a change outside the schemas makes the folder unreadable for earlier versions. */
const FORMAT = 1;
const FILE = 'version.json';

interface FolderVersion {
  readonly format: number;
  /** Error messages name this version of the program. */
  readonly waypost: string;
  /** The name of the last migration of each store. */
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

/** Throws `ConfigError` if a later version wrote the folder. A folder without the file is from an earlier version. */
export function expectFolderVersion(dataDir: string, migrations: KnownMigrations): void {
  const file = path.join(dataDir, FILE);
  let text: string;
  try {
    text = fs.readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const { value: version, error } = schema.validate(parsedJson(text));
  if (error !== undefined) throw new ConfigError(`${file} is damaged: ${error.message}. Restore a backup.`);
  const isLater =
    version.format > FORMAT ||
    !migrations.postgres.includes(version.schemas.postgres) ||
    !migrations.clickhouse.includes(version.schemas.clickhouse);
  if (isLater)
    throw new ConfigError(
      `The data folder ${dataDir} was written by Waypost ${version.waypost}. This version, ${PROGRAM_VERSION}, is older and cannot read it. ` +
        'Start the newer version, or restore an older backup into an empty folder.',
    );
}

/** Call it before this version changes the folder: even an interrupted migration locks out an earlier version. */
export function writeFolderVersion(dataDir: string, migrations: KnownMigrations): void {
  const version: FolderVersion = {
    format: FORMAT,
    waypost: PROGRAM_VERSION,
    schemas: { clickhouse: migrations.clickhouse.at(-1)!, postgres: migrations.postgres.at(-1)! },
  };
  const text = `${JSON.stringify(version, null, 2)}\n`;
  const file = path.join(dataDir, FILE);
  if (fs.existsSync(file) && fs.readFileSync(file, 'utf8') === text) return;
  fs.writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true });
  fs.renameSync(`${file}.new`, file);
}
