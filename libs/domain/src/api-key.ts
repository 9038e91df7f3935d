/** API keys and scopes are described in docs/contract.md (Authentication). */
import { crc32 } from 'node:zlib';

export const SCOPES = ['read', 'write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** What each scope permits, as the API's guide shows it. */
export const SCOPE_MEANINGS: Readonly<Record<Scope, string>> = {
  read: 'List links, read a link, read its analytics, check an address.',
  write: 'Create and revoke links.',
  admin:
    'Everything, and the endpoints of administration. It stands alone: a key has `admin`, or it has `read`, `write` or both.',
};

export interface ApiKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  /** From this time on the key is refused. Null means that the key does not expire. */
  readonly expiresAt: Date | null;
}

/** `admin` permits everything. */
export function permits(scopes: readonly Scope[], needed: Scope): boolean {
  return scopes.includes('admin') || scopes.includes(needed);
}

/** Returns the problem of the scopes, or undefined. `admin` cannot be combined (Authentication, rule 5). */
export function scopesProblem(scopes: readonly string[]): string | undefined {
  if (scopes.length === 0) return 'must name at least one scope';
  const unknown = scopes.find((scope) => !(SCOPES as readonly string[]).includes(scope));
  if (unknown !== undefined) return `"${unknown}" is not a scope: use read, write or admin`;
  if (new Set(scopes).size !== scopes.length) return 'names a scope twice';
  if (scopes.includes('admin') && scopes.length > 1) return 'admin must be the only scope of a key';
  return undefined;
}

/**
 * A key is `wp_`, 43 base64url characters for 256 random bits, and 6 characters of a checksum. The prefix lets secret
 * scanners find keys, and the checksum lets them discard false alarms. A mistyped key is refused without a look-up.
 */
const API_KEY = /^wp_([A-Za-z0-9_-]{43})([A-Za-z0-9_-]{6})$/;

export function formatApiKey(secret: Uint8Array): string {
  const body = Buffer.from(secret).toString('base64url');
  return `wp_${body}${checksumOf(body)}`;
}

export function isApiKey(text: string): boolean {
  const match = API_KEY.exec(text);
  return match !== null && checksumOf(match[1]!) === match[2];
}

function checksumOf(text: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(text));
  return bytes.toString('base64url');
}
