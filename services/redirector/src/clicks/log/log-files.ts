import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { cursorPath, readCursor } from './cursor.ts';
import { listSegments, segmentPath } from './segments.ts';

const THREAD_FOLDER = /^thread-\d{1,3}$/;

/** Returns the log folders of all threads except the first, which uses `clickLogDir` itself. */
export function threadFolders(clickLogDir: string): string[] {
  const names = existsSync(clickLogDir) ? readdirSync(clickLogDir).filter((name) => THREAD_FOLDER.test(name)) : [];
  return names.map((name) => path.join(clickLogDir, name));
}

/**
 * Returns the files that hold the clicks not yet sent. A copy of them in this order, each cursor before its segments,
 * misses no click. If a file no longer exists, its clicks have been sent.
 */
export function clickLogFiles(clickLogDir: string): string[] {
  return [clickLogDir, ...threadFolders(clickLogDir)]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => {
      const { segment } = readCursor(folder);
      const cursor = existsSync(cursorPath(folder)) ? [cursorPath(folder)] : [];
      const unshipped = listSegments(folder).filter(({ number }) => number >= segment);
      return [...cursor, ...unshipped.map(({ number }) => segmentPath(folder, number))];
    });
}
