import { randomBytes } from 'node:crypto';
import { type Actor, type ApiKey, formatApiKey, type Scope, scopesProblem } from '@waypost/domain';
import { invalid, nameProblem } from '../platform/checks.ts';
import { hashSecret } from '../platform/hash-secret.ts';
import type { ApiKeys } from './keys.port.ts';

interface Deps {
  readonly keys: Pick<ApiKeys, 'create'>;
  readonly now: () => Date;
}

/** Only this result contains the key: the store keeps its SHA-256. */
export async function createApiKey(
  deps: Deps,
  accountId: string,
  request: { name: string; scopes: readonly string[]; expiresAt?: Date | undefined },
  by: Actor,
): Promise<ApiKey & { readonly key: string; readonly hint: string }> {
  const details: Record<string, string> = {};
  const scopes = scopesProblem(request.scopes);
  if (scopes !== undefined) details.scopes = scopes;
  const name = request.name.trim();
  const problem = nameProblem(request.name);
  if (problem !== undefined) details.name = problem;
  const { expiresAt = null } = request;
  if (expiresAt !== null && expiresAt <= deps.now()) details.expires_at = 'must be in the future';
  if (Object.keys(details).length > 0) throw invalid(details);
  const key = formatApiKey(randomBytes(32));
  const hint = key.slice(0, 10);
  const apiKey = await deps.keys.create(
    { accountId, name, scopes: request.scopes as readonly Scope[], keyHash: hashSecret(key), hint, expiresAt },
    ({ id }) => [
      { by, action: 'key.created', subject: id, accountId, detail: `${name} (${request.scopes.join(', ')})` },
    ],
  );
  return { ...apiKey, key, hint };
}
