import { within } from '@waypost/resilience';

/**
 * A check for `/healthz` (the process runs) or `/readyz` (it can do its work). Each dependency has a name and a state.
 * If it is not `required`, its state is reported but does not make the service unready.
 */
export interface HealthCheck {
  readonly required: boolean;
  /**
   * Resolves to `ok` or to the problem. If it rejects or does not answer within the time limit, it has failed. `signal`
   * aborts when the caller no longer waits.
   */
  readonly check: (signal: AbortSignal) => Promise<DependencyState> | DependencyState;
}

export interface DependencyState {
  readonly ok: boolean;
  readonly detail?: string;
  readonly [fact: string]: unknown;
}

export interface Readiness {
  readonly status: 'ready' | 'not_ready';
  readonly dependencies: Readonly<Record<string, DependencyState>>;
}

const CHECK_TIMEOUT_MS = 1_500;

export async function readiness(checks: Readonly<Record<string, HealthCheck>>): Promise<Readiness> {
  const entries = await Promise.all(
    Object.entries(checks).map(async ([name, { required, check }]) => {
      const state = await stateOf(check);
      return { name, required, state };
    }),
  );
  const ready = entries.every(({ required, state }) => state.ok || !required);
  return {
    status: ready ? 'ready' : 'not_ready',
    dependencies: Object.fromEntries(entries.map(({ name, state }) => [name, state])),
  };
}

/** Public callers get only names and `ok`. Causes and figures are shown on the internal port. */
export interface PublicReadiness {
  readonly status: Readiness['status'];
  readonly dependencies: Readonly<Record<string, { readonly ok: boolean }>>;
}

export type CachedReadiness = ReturnType<typeof cachedReadiness>;

const CACHED_MS = 1_000;

/** Checks the dependencies at most once a second for any number of callers, and never twice at the same time. */
export function cachedReadiness(checks: Readonly<Record<string, HealthCheck>>) {
  let pending: Promise<Readiness> | undefined;
  const full = () => {
    pending ??= readiness(checks).finally(() => {
      setTimeout(() => {
        pending = undefined;
      }, CACHED_MS).unref();
    });
    return pending;
  };
  return {
    full,
    public: async (): Promise<PublicReadiness> => {
      const { status, dependencies } = await full();
      const redacted = Object.entries(dependencies).map(([name, { ok }]) => [name, { ok }] as const);
      return { status, dependencies: Object.fromEntries(redacted) };
    },
  };
}

async function stateOf(check: HealthCheck['check']): Promise<DependencyState> {
  const waiting = new AbortController();
  const late = { ok: false, detail: `no response within ${CHECK_TIMEOUT_MS} ms` };
  try {
    return await within(Promise.resolve(waiting.signal).then(check), CHECK_TIMEOUT_MS, late);
  } catch (error) {
    return { ok: false, detail: error instanceof Error ? error.message : String(error) };
  } finally {
    waiting.abort();
  }
}
