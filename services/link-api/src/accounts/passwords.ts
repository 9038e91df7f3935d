import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { invalid } from '../platform/checks.ts';

export const PASSWORD_MIN = 12;
export const PASSWORD_MAX = 1_000;

/** OWASP recommends 19 MiB and 2 passes. Each stored hash contains its own parameters, so these values may change. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');

const argon2id = (message: string, nonce: Buffer, cost: typeof COST, tagLength = 32): Promise<Buffer> =>
  promisify(argon2)('argon2id', { message, nonce, ...cost, tagLength });

/** Returns an Argon2id hash in PHC string format. Throws `validation_failed` with the name in `field`. */
export async function hashPassword(password: string, field = 'password'): Promise<string> {
  const length = [...password.slice(0, 2 * PASSWORD_MAX)].length;
  if (length < PASSWORD_MIN || length > PASSWORD_MAX)
    throw invalid({ [field]: `must have ${PASSWORD_MIN} to ${PASSWORD_MAX} characters` });
  const nonce = randomBytes(16);
  const tag = await argon2id(password, nonce, COST);
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${base64(nonce)}$${base64(tag)}`;
}

/** No password matches this hash. It keeps the response time equal if there is no account or no password. */
const UNMATCHABLE_HASH = `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${base64(randomBytes(16))}$${base64(randomBytes(32))}`;

export async function isPassword(password: string, hash: string | null | undefined): Promise<boolean> {
  const parts = PHC.exec(hash ?? UNMATCHABLE_HASH);
  if (parts === null) throw new Error('a stored password hash is not in the format of argon2id');
  const [, memory, passes, parallelism, nonce, tag] = parts;
  const expected = Buffer.from(tag!, 'base64');
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  // No stored password is longer than this, so hashing the rest would only cost time.
  const derived = await argon2id(
    password.slice(0, 2 * PASSWORD_MAX),
    Buffer.from(nonce!, 'base64'),
    cost,
    expected.length,
  );
  return timingSafeEqual(derived, expected) && hash != null;
}
