import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CLICK_RETENTION_DAYS, parsedJson, type VisitorSecret } from '@waypost/domain';
import { ConfigError } from '@waypost/settings';

/**
 * Locks a folder for this process. Returns undefined if another process has locked it. SQLite makes the lock, and the
 * kernel releases it however the process ends.
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

interface SecretsFile {
  /** The key of the visitor hash. Keep it as long as the clicks. */
  readonly visitor: string;
  readonly previous_visitor?: string;
  /** The time when `visitor` replaced `previous_visitor`, in ISO 8601. */
  readonly rotated_at?: string;
}

/**
 * Reads `secrets.json`, or creates it so that only its owner can read it. Deletes the previous visitor secret once no
 * stored click is older than the rotation.
 */
export function loadSecrets(dir: string, now = new Date()): { readonly visitor: VisitorSecret } {
  const secrets = readSecrets(dir) ?? writeSecrets(dir, { visitor: newSecret() });
  return { visitor: secretOf(isNeeded(secrets, now) ? secrets : writeSecrets(dir, { visitor: secrets.visitor })) };
}

/**
 * Creates a new visitor secret and keeps the previous one, so that a visitor before and after the rotation counts once.
 * Throws if an even earlier secret is still needed for that. With `leaked`, the previous secret is deleted at once,
 * because somebody else knows it.
 */
export function rotateVisitorSecret(dir: string, now: Date, { leaked }: { readonly leaked: boolean }): Rotation {
  const current = readSecrets(dir) ?? { visitor: newSecret() };
  const end = endOf(current);
  if (!leaked && end !== undefined && now < end)
    throw new Error(
      `the secret from before the last rotation is needed until ${end.toISOString()}. Rotate after that, or with --leaked.`,
    );
  const rotated_at = now.toISOString();
  const { visitor: previous_visitor } = current;
  const secrets = writeSecrets(dir, { visitor: newSecret(), ...(!leaked && { previous_visitor, rotated_at }) });
  return { secret: secretOf(secrets), rotatedAt: now, previousUntil: endOf(secrets) };
}

export interface Rotation {
  readonly secret: VisitorSecret;
  readonly rotatedAt: Date;
  /** The time when the previous secret is deleted. Undefined if there is none. */
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
  const damaged = (problem: string) => new ConfigError(`${file} is damaged: ${problem}. Restore it from a backup.`);
  const digits = (name: string, value: unknown): string => {
    if (typeof value !== 'string' || !/^[0-9a-f]{64}$/.test(value)) throw damaged(`"${name}" is not 64 hex digits`);
    return value;
  };
  const content = parsedJson(fs.readFileSync(file, 'utf8')) ?? {};
  const { visitor, previous_visitor, rotated_at } = content as Record<keyof SecretsFile, unknown>;
  const current = digits('visitor', visitor);
  if (previous_visitor === undefined) return { visitor: current };
  const previous = digits('previous_visitor', previous_visitor);
  if (typeof rotated_at !== 'string' || Number.isNaN(Date.parse(rotated_at)))
    throw damaged('"rotated_at" is not a time');
  return { visitor: current, previous_visitor: previous, rotated_at };
}

function writeSecrets(dir: string, secrets: SecretsFile): SecretsFile {
  const file = secretsFile(dir);
  const making = `${file}.new`;
  fs.writeFileSync(making, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flush: true });
  fs.renameSync(making, file);
  return secrets;
}

/** Appends messages that no handler accepts to `parked-<topic>.jsonl`, where an operator can read them. */
export function parkInFolder(dir: string) {
  return async (topic: string, group: string, message: { key: string; value: string }, error: Error): Promise<void> => {
    const line = JSON.stringify({ at: new Date().toISOString(), topic, group, error: error.message, ...message });
    await fs.promises.appendFile(path.join(dir, `parked-${topic}.jsonl`), `${line}\n`, { mode: 0o600 });
  };
}
