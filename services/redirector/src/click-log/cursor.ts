/** How far the clicks have been shipped. Lost or late, it costs repetition only: a click's id makes that harmless. */
import { readFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from './segments.ts';

export interface Cursor {
  readonly segment: number;
  readonly offset: number;
}

const START: Cursor = { segment: 0, offset: 0 };

export function readCursor(folder: string): Cursor {
  let data: unknown;
  try {
    data = JSON.parse(readFileSync(cursorPath(folder), 'utf8'));
  } catch {
    return START; // none yet, or not readable: everything that is there is shipped again
  }
  const { segment, offset } = (data ?? {}) as Partial<Cursor>;
  return isCount(segment) && isCount(offset) ? { segment, offset } : START;
}

/** Resolves when the cursor survives a power loss; the old one is in force until then. */
export async function writeCursor(folder: string, cursor: Cursor): Promise<void> {
  const temporary = `${cursorPath(folder)}.new`;
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(JSON.stringify(cursor));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, cursorPath(folder));
  await syncFolder(folder);
}

function cursorPath(folder: string): string {
  return path.join(folder, 'cursor.json');
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
