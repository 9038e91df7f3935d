/**
 * The cursor says which clicks the bus has. If the saved cursor is old, some clicks are sent again, and their ids make
 * that harmless.
 */
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from './segments.ts';

export interface Cursor {
  readonly segment: number;
  readonly offset: number;
}

const SAVED_EVERY_MS = 250;
const START: Cursor = { segment: 0, offset: 0 };

export function readCursor(folder: string): Cursor {
  let data: unknown;
  try {
    data = JSON.parse(readFileSync(cursorPath(folder), 'utf8'));
  } catch {
    return START; // The file is missing or unreadable, so every click is sent again.
  }
  const { segment, offset } = (data ?? {}) as Partial<Cursor>;
  return isCount(segment) && isCount(offset) ? { segment, offset } : START;
}

/** Keeps the cursor in memory and saves it often, so that a crash causes few repeated clicks. */
export class SavedCursor {
  at: Cursor;
  readonly #folder: string;
  #saved: Cursor;
  #savedAt = 0;

  constructor(folder: string, at: Cursor) {
    this.#folder = folder;
    this.at = at;
    this.#saved = at;
  }

  get isDue(): boolean {
    return performance.now() - this.#savedAt >= SAVED_EVERY_MS;
  }

  async save(): Promise<void> {
    const saving = this.at;
    if (saving.segment === this.#saved.segment && saving.offset === this.#saved.offset) return;
    await writeCursor(this.#folder, saving);
    this.#saved = saving;
    this.#savedAt = performance.now();
  }
}

/** Resolves once the new cursor is safe from a power loss. */
async function writeCursor(folder: string, cursor: Cursor): Promise<void> {
  const temporary = `${cursorPath(folder)}.new`;
  await writeFile(temporary, JSON.stringify(cursor), { mode: 0o600, flush: true });
  await rename(temporary, cursorPath(folder));
  await syncFolder(folder);
}

export function cursorPath(folder: string): string {
  return path.join(folder, 'cursor.json');
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
