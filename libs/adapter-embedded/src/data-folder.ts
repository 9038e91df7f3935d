import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CLICK_RETENTION_DAYS, type VisitorSecret } from '@waypost/domain';

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
  readonly visitor: VisitorSecret;
}

/** `secrets.json`. */
interface SecretsFile {
  readonly visitor: string;
  readonly previous_visitor?: string;
  /** ISO 8601: when `previous_visitor` was replaced. */
  readonly rotated_at?: string;
}

/**
 * `secrets.json`, created once, readable only by its owner. The secret of before a rotation is deleted from it once no
 * click from before is stored.
 */
export function loadSecrets(dir: string, now = new Date()): Secrets {
  const found = readSecrets(dir) ?? writeSecrets(dir, { visitor: newSecret() });
  return { visitor: secretOf(isNeeded(found, now) ? found : writeSecrets(dir, { visitor: found.visitor })) };
}

/**
 * A new visitor secret. Keeps the one of before, by which visitors of both sides count once. Throws if an earlier one is
 * still needed for that. `leaked`: keeps none, so that the leaked one hashes nothing more.
 */
export function rotateVisitorSecret(dir: string, now: Date, { leaked }: { readonly leaked: boolean }): Rotation {
  const found = readSecrets(dir) ?? { visitor: newSecret() };
  const end = endOf(found);
  if (!leaked && end !== undefined && now < end)
    throw new Error(
      `the secret of before the last rotation is needed until ${end.toISOString()}: rotate after that, or with --leaked`,
    );
  const rotated_at = now.toISOString();
  const { visitor: previous_visitor } = found;
  const made = writeSecrets(dir, { visitor: newSecret(), ...(!leaked && { previous_visitor, rotated_at }) });
  return { secret: secretOf(made), rotatedAt: now, previousUntil: endOf(made) };
}

export interface Rotation {
  readonly secret: VisitorSecret;
  readonly rotatedAt: Date;
  /** When the previous secret can go; undefined if none is kept. */
  readonly previousUntil: Date | undefined;
}

const newSecret = () => randomBytes(32).toString('hex');
const secretOf = ({ visitor, previous_visitor: previous }: SecretsFile): VisitorSecret => ({
  current: Buffer.from(visitor, 'hex'),
  ...(previous !== undefined && { previous: Buffer.from(previous, 'hex') }),
});
const secretsFile = (dir: string) => path.join(dir, 'secrets.json');

function endOf({ rotated_at }: SecretsFile): Date | undefined {
  return rotated_at === undefined ? undefined : new Date(Date.parse(rotated_at) + CLICK_RETENTION_DAYS * 86_400_000);
}

function isNeeded(secrets: SecretsFile, now: Date): boolean {
  const end = endOf(secrets);
  return end === undefined || now < end;
}

function readSecrets(dir: string): SecretsFile | undefined {
  const file = secretsFile(dir);
  if (!fs.existsSync(file)) return undefined;
  const { visitor, previous_visitor, rotated_at } = JSON.parse(fs.readFileSync(file, 'utf8')) as Record<
    string,
    unknown
  >;
  const digits = (name: string, value: unknown): string => {
    if (typeof value !== 'string' || !/^[0-9a-f]{64}$/.test(value))
      throw new Error(`${file}: "${name}" is not 64 hex digits`);
    return value;
  };
  const current = digits('visitor', visitor);
  if (previous_visitor === undefined) return { visitor: current };
  const previous = digits('previous_visitor', previous_visitor);
  if (typeof rotated_at !== 'string' || Number.isNaN(Date.parse(rotated_at)))
    throw new Error(`${file}: "rotated_at" is not a time`);
  return { visitor: current, previous_visitor: previous, rotated_at };
}

/** Completely or not at all. */
function writeSecrets(dir: string, secrets: SecretsFile): SecretsFile {
  const file = secretsFile(dir);
  const making = `${file}.new`;
  fs.writeFileSync(making, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flush: true });
  fs.renameSync(making, file);
  return secrets;
}

/** Appends dead-lettered messages to `parked-<topic>.jsonl`, for an operator to inspect. */
export function parkInFolder(dir: string) {
  return async (topic: string, group: string, message: { key: string; value: string }, error: Error): Promise<void> => {
    const line = JSON.stringify({ at: new Date().toISOString(), topic, group, error: error.message, ...message });
    await fs.promises.appendFile(path.join(dir, `parked-${topic}.jsonl`), `${line}\n`, { mode: 0o600 });
  };
}
