import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Locks a folder for this process, or returns undefined if another process has locked it. The lock is SQLite's: the
 * kernel releases it however the process ends, so no stale lock file can remain.
 */
export function lockFolder(dir: string): { release(): void } | undefined {
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
  const lock = new DatabaseSync(path.join(dir, 'lock'), { timeout: 0 });
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (/locked/.test(String(error))) return undefined;
    throw error;
  }
  return { release: () => lock.close() };
}

export interface Secrets {
  /** Keys the visitor hash. It must live as long as the clicks. */
  readonly visitor: Buffer;
}

/** `secrets.json`, created once, readable only by its owner. */
export function loadSecrets(dir: string): Secrets {
  const file = path.join(dir, 'secrets.json');
  if (!fs.existsSync(file)) {
    const secrets = { visitor: randomBytes(32).toString('hex') };
    const making = `${file}.new`;
    const fd = fs.openSync(making, 'w', 0o600);
    fs.writeSync(fd, `${JSON.stringify(secrets, null, 2)}\n`);
    fs.fsyncSync(fd);
    fs.closeSync(fd);
    fs.renameSync(making, file);
  }
  const read = JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, unknown>;
  // The file of an earlier version has a second secret, which is no longer used.
  const { visitor } = read;
  if (typeof visitor !== 'string' || !/^[0-9a-f]{64}$/.test(visitor))
    throw new Error(`${file}: "visitor" is not 64 hex digits`);
  return { visitor: Buffer.from(visitor, 'hex') };
}

/** Appends dead-lettered messages to `parked-<topic>.jsonl`, for an operator to inspect. */
export function parkInFolder(dir: string) {
  return async (topic: string, group: string, message: { key: string; value: string }, error: Error): Promise<void> => {
    const line = JSON.stringify({ at: new Date().toISOString(), topic, group, error: error.message, ...message });
    await fs.promises.appendFile(path.join(dir, `parked-${topic}.jsonl`), `${line}\n`, { mode: 0o600 });
  };
}
