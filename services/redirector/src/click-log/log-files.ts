import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { cursorPath, readCursor } from './cursor.ts';
import { listSegments, segmentPath } from './segments.ts';

const THREAD_FOLDER = /^thread-\d{1,3}$/;

/** The logs of all threads but the first, which uses `clickLogDir` itself. */
export function threadFolders(clickLogDir: string): string[] {
  const names = existsSync(clickLogDir) ? readdirSync(clickLogDir).filter((name) => THREAD_FOLDER.test(name)) : [];
  return names.map((name) => path.join(clickLogDir, name));
}

/**
 * The files with the clicks that are not shipped yet. Copied in this order, each cursor before its segments, they have
 * every click up to now, whatever is written and shipped meanwhile. A file may be gone by then: its clicks are shipped.
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
