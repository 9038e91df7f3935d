import { within } from '@waypost/resilience';

/**
 * `/healthz` (the process lives) and `/readyz` (it can do its work). Each dependency has a name and a state; the ones
 * that are not `required` are told, but do not make the service unready.
 */
export interface HealthCheck {
  readonly required: boolean;
  /**
   * Resolves to `ok` or to what is wrong; a rejection or no answer within the time limit counts as wrong. `signal` says
   * that nobody waits any more.
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

/** Names and `ok`, for strangers: causes and figures are for the internal port. */
export interface PublicReadiness {
  readonly status: Readiness['status'];
  readonly dependencies: Readonly<Record<string, { readonly ok: boolean }>>;
}

export interface CachedReadiness {
  public(): Promise<PublicReadiness>;
  full(): Promise<Readiness>;
}

const CACHED_MS = 1_000;

/** Asks the dependencies once a second at most, however many ask us, and never twice at a time. */
export function cachedReadiness(checks: Readonly<Record<string, HealthCheck>>): CachedReadiness {
  let asked: Promise<Readiness> | undefined;
  const full = () => {
    asked ??= readiness(checks).finally(() => {
      setTimeout(() => {
        asked = undefined;
      }, CACHED_MS).unref();
    });
    return asked;
  };
  return {
    full,
    public: async () => {
      const { status, dependencies } = await full();
      const told = Object.entries(dependencies).map(([name, { ok }]) => [name, { ok }] as const);
      return { status, dependencies: Object.fromEntries(told) };
    },
  };
}

async function stateOf(check: HealthCheck['check']): Promise<DependencyState> {
  const waiting = new AbortController();
  const late = { ok: false, detail: `no answer within ${CHECK_TIMEOUT_MS} ms` };
  try {
    return await within(Promise.resolve(waiting.signal).then(check), CHECK_TIMEOUT_MS, late);
  } catch (error) {
    return { ok: false, detail: error instanceof Error ? error.message : String(error) };
  } finally {
    waiting.abort();
  }
}
