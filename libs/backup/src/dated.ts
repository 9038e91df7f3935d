/** Backups of one installation in one folder, each in a folder that is named by its time; the newest stay. */
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { MANIFEST, namesIn } from './files.ts';

const NAME = /^waypost-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z$/;
const PARTIAL = '.partial';
/** No backup takes longer: what is left of an older one was cut off. */
const CUT_OFF_MS = 24 * 3_600_000;

export interface DatedBackup {
  readonly dir: string;
  /** When it was begun. */
  readonly at: Date;
}

const nameOf = (at: Date) => `waypost-${at.toISOString().slice(0, 19).replaceAll(':', '-')}Z`;

function timeOf(name: string): Date | undefined {
  const [, day, hour, minute, second] = NAME.exec(name) ?? [];
  return day === undefined ? undefined : new Date(`${day}T${hour}:${minute}:${second}Z`);
}

/** The complete ones, the newest first; none if there is no such folder. */
export async function datedBackups(parent: string): Promise<DatedBackup[]> {
  const found: DatedBackup[] = [];
  for (const name of await namesIn(parent)) {
    const at = timeOf(name);
    const dir = path.join(parent, name);
    const manifest = await stat(path.join(dir, MANIFEST)).catch(() => undefined);
    if (at !== undefined && manifest !== undefined) found.push({ dir, at });
  }
  return found.sort((a, b) => b.at.getTime() - a.at.getTime());
}

/**
 * `write` makes a backup in the folder that it is given. Before it, what is left of backups that were cut off is deleted,
 * to make room; after it, all but the newest `keep`. Folders with other names are left alone.
 */
export async function writeDatedBackup<T extends object>(
  parent: string,
  now: Date,
  keep: number,
  write: (dir: string) => Promise<T>,
): Promise<T & { readonly dir: string }> {
  const isOver = (at: Date) => at.getTime() < now.getTime() - CUT_OFF_MS;
  // What it cannot delete is no reason to make no backup, and told after it.
  await removeCutOff(parent, isOver).catch(() => undefined);
  const dir = path.join(parent, nameOf(now));
  const written = await write(dir);
  const complete = await datedBackups(parent);
  // Of a later time: from when the clock was wrong. They go first, so the one just written never does.
  const inOrder = [...complete.filter(({ at }) => at <= now), ...complete.filter(({ at }) => at > now)];
  for (const old of inOrder.slice(keep)) await remove(old.dir);
  const kept = new Set(inOrder.slice(0, keep).map((backup) => path.basename(backup.dir)));
  for (const name of await namesIn(parent)) {
    const at = timeOf(name);
    if (at !== undefined && !kept.has(name) && isOver(at)) await remove(path.join(parent, name));
  }
  await removeCutOff(parent, isOver);
  return { ...written, dir };
}

/** What is left of backups that are not complete: of all, where nothing makes one now, or of those of some times. */
export async function removeCutOff(parent: string, isOver: (at: Date) => boolean = () => true): Promise<void> {
  for (const name of await namesIn(parent)) {
    const at = name.endsWith(PARTIAL) ? timeOf(name.slice(0, -PARTIAL.length)) : undefined;
    if (at !== undefined && isOver(at)) await remove(path.join(parent, name));
  }
}

/** Without its manifest it is no backup, should this be cut off. */
async function remove(dir: string): Promise<void> {
  await rm(path.join(dir, MANIFEST), { force: true });
  await rm(dir, { recursive: true, force: true });
}
