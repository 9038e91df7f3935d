/** API keys and scopes are described in docs/contract.md (Authentication). */
import { crc32 } from 'node:zlib';

export const SCOPES = ['read', 'write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** What each scope permits, as the API's guide shows it. */
export const SCOPE_MEANINGS: Readonly<Record<Scope, string>> = {
  read: 'List links, get a link, view analytics, check a URL.',
  write: 'Create and revoke links.',
  admin: 'Everything, including the administration endpoints. It must be the only scope of a key.',
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
  if (scopes.length === 0) return 'must have 1 or more entries';
  const unknown = scopes.find((scope) => !(SCOPES as readonly string[]).includes(scope));
  if (unknown !== undefined) return `must contain only read, write or admin, but contains "${unknown}"`;
  if (new Set(scopes).size !== scopes.length) return 'must not contain a scope twice';
  if (scopes.includes('admin') && scopes.length > 1) return 'must not combine admin with other scopes';
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
