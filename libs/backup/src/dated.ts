import { rm } from 'node:fs/promises';
import path from 'node:path';
import { manifestOf, namesIn } from './files.ts';

const NAME = /^waypost-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z$/;
const PARTIAL = '.partial';
/** No backup takes longer than a day, so an older incomplete backup must have been interrupted. */
const CUT_OFF_MS = 24 * 3_600_000;

export interface DatedBackup {
  readonly dir: string;
  /** The time in the name of the folder: when the backup began, or the next second without a backup. */
  readonly at: Date;
}

const nameOf = (at: Date) => `waypost-${at.toISOString().slice(0, 19).replaceAll(':', '-')}Z`;

function timeOf(name: string): Date | undefined {
  const [, day, hour, minute, second] = NAME.exec(name) ?? [];
  return day === undefined ? undefined : new Date(`${day}T${hour}:${minute}:${second}Z`);
}

/** Resolves to the complete backups, newest first; to an empty list if the folder does not exist. */
export async function datedBackups(parent: string): Promise<DatedBackup[]> {
  const backups: DatedBackup[] = [];
  for (const name of await namesIn(parent)) {
    const at = timeOf(name);
    const dir = path.join(parent, name);
    const manifest = at === undefined ? undefined : await manifestOf(dir).catch(() => undefined);
    if (at !== undefined && manifest !== undefined) backups.push({ dir, at });
  }
  return backups.sort((a, b) => b.at.getTime() - a.at.getTime());
}

/**
 * Calls `write` to make a backup in a new folder. Before that it deletes interrupted backups to make room. Afterwards
 * it deletes all backups except the newest `keep`. It does not touch folders with other names. A backup without
 * accounts deletes none: perhaps the volume with the data was not mounted.
 */
export async function writeDatedBackup<T extends { readonly accounts: number }>(
  parent: string,
  now: Date,
  keep: number,
  write: (dir: string) => Promise<T>,
): Promise<T & { readonly dir: string }> {
  const isOver = (at: Date) => at.getTime() < now.getTime() - CUT_OFF_MS;
  // If old backups cannot be deleted, the new backup is still made. The deletion below then reports the error.
  await removeCutOff(parent, isOver).catch(() => undefined);
  const at = await freeTime(parent, now);
  const dir = path.join(parent, nameOf(at));
  const written = await write(dir);
  if (written.accounts === 0) return { ...written, dir };
  const complete = await datedBackups(parent);
  // A backup with a time in the future comes from a wrong clock. Such backups are deleted first, so that the new one
  // stays.
  const inOrder = [...complete.filter((old) => old.at <= at), ...complete.filter((old) => old.at > at)];
  for (const old of inOrder.slice(keep)) await remove(old.dir);
  const newest = new Set(inOrder.slice(0, keep).map((backup) => path.basename(backup.dir)));
  for (const name of await namesIn(parent)) {
    const began = timeOf(name);
    if (began !== undefined && !newest.has(name) && isOver(began)) await remove(path.join(parent, name));
  }
  await removeCutOff(parent, isOver);
  return { ...written, dir };
}

/** Resolves to the first second without a backup, as a command may run in the second of the schedule. */
async function freeTime(parent: string, now: Date): Promise<Date> {
  const names = new Set(await namesIn(parent));
  let at = now;
  while (names.has(nameOf(at)) || names.has(nameOf(at) + PARTIAL)) at = new Date(at.getTime() + 1_000);
  return at;
}

/** Deletes incomplete backups whose time `isOver` accepts. The default, all, is safe only while no backup runs. */
export async function removeCutOff(parent: string, isOver: (at: Date) => boolean = () => true): Promise<void> {
  for (const name of await namesIn(parent)) {
    const at = name.endsWith(PARTIAL) ? timeOf(name.slice(0, -PARTIAL.length)) : undefined;
    if (at !== undefined && isOver(at)) await remove(path.join(parent, name));
  }
}

/** Deletes the manifest first. If the process is interrupted, the rest of the folder does not look like a backup. */
async function remove(dir: string): Promise<void> {
  const manifest = await manifestOf(dir);
  if (manifest !== undefined) await rm(path.join(dir, manifest), { force: true });
  await rm(dir, { recursive: true, force: true });
}
