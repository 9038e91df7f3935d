/** Reads and writes the file in which `waypost login` keeps base URLs and keys. Only its owner can read the file. */
import fs from 'node:fs';
import path from 'node:path';
import { UsageError } from '@waypost/command-line';

export interface Profile {
  /** Without a trailing slash. */
  readonly url: string;
  readonly key: string;
}

interface ProfilesFile {
  readonly current: string | undefined;
  readonly profiles: Readonly<Record<string, Profile>>;
}

function fileOf(environment: NodeJS.ProcessEnv, platform = process.platform): string | undefined {
  const { XDG_CONFIG_HOME, HOME, APPDATA } = environment;
  const home = HOME === undefined || HOME === '' ? undefined : HOME;
  const byPlatform = { win32: APPDATA, darwin: home && path.join(home, 'Library/Application Support') };
  const folder =
    XDG_CONFIG_HOME || (platform in byPlatform ? byPlatform[platform as 'win32'] : home && path.join(home, '.config'));
  return folder === undefined ? undefined : path.join(folder, 'waypost', 'profiles.json');
}

export function readProfiles(environment: NodeJS.ProcessEnv): ProfilesFile {
  const file = fileOf(environment);
  if (file === undefined || !fs.existsSync(file)) return { current: undefined, profiles: {} };
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}. Remove the file and log in again.`);
  }
}

export function writeProfiles(environment: NodeJS.ProcessEnv, stored: ProfilesFile): string {
  const file = fileOf(environment);
  if (file === undefined) throw new UsageError('Settings cannot be stored. Set HOME or XDG_CONFIG_HOME.');
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const fresh = `${file}.${process.pid}`;
  fs.writeFileSync(fresh, `${JSON.stringify(stored, undefined, 2)}\n`, { mode: 0o600 });
  fs.renameSync(fresh, file);
  return file;
}

export function profileOf(environment: NodeJS.ProcessEnv, name?: string): (Profile & { name: string }) | undefined {
  const { current, profiles } = readProfiles(environment);
  const chosen = name ?? environment.WAYPOST_PROFILE ?? current;
  const profile = chosen !== undefined && Object.hasOwn(profiles, chosen) ? profiles[chosen] : undefined;
  if (profile !== undefined) return { ...profile, name: chosen! };
  if (name === undefined && environment.WAYPOST_PROFILE === undefined) return undefined;
  const names = Object.keys(profiles).join(', ') || 'none';
  throw new UsageError(`There is no profile "${chosen}". Profiles: ${names}. Create one: waypost login --profile NAME`);
}
