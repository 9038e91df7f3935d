import type { LinkApiDeps } from '../deps.ts';

const STORES = ['cases', 'idempotency', 'sessions', 'webhookQueue', 'imports', 'keys', 'notices'] as const;
type Deps = Pick<LinkApiDeps, (typeof STORES)[number] | 'now' | 'onLateError'>;

const EVERY_MS = 3_600_000;

export function forgetExpired(deps: Deps): { stop(): Promise<void> } {
  const timer = setInterval(() => {
    for (const store of STORES) void deps[store].forget(deps.now()).catch(deps.onLateError);
  }, EVERY_MS);
  return { stop: async () => clearInterval(timer) };
}
