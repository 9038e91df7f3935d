import type { LinkApiDeps } from '../deps.ts';

type Stores = Pick<LinkApiDeps, 'cases' | 'idempotency' | 'sessions' | 'webhookQueue' | 'imports' | 'keys'>;
type Deps = Stores & Pick<LinkApiDeps, 'now' | 'onLateError'>;

const EVERY_MS = 3_600_000;

export function forgetExpired(deps: Deps): { stop(): Promise<void> } {
  const { cases, idempotency, sessions, webhookQueue, imports, keys, now, onLateError } = deps;
  const timer = setInterval(() => {
    for (const store of [cases, idempotency, sessions, webhookQueue, imports, keys])
      void store.forget(now()).catch(onLateError);
  }, EVERY_MS);
  return { stop: async () => clearInterval(timer) };
}
