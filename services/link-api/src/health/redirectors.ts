import type { DependencyState, PublicReadiness } from '@waypost/telemetry';

/** A balancer may send each request to another redirector. */
const REQUESTS = 8;

/** Asks redirectors at their public address what does not work for them. That address may be out of reach from here. */
export function redirectorsHealth(url: string): (signal: AbortSignal) => Promise<DependencyState> {
  return async (signal) => {
    const ask = async () => {
      const response = await fetch(`${url}/readyz`, { signal });
      return Object.entries(((await response.json()) as PublicReadiness).dependencies);
    };
    const answers = await Promise.allSettled(Array.from({ length: REQUESTS }, ask));
    const states = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (states.length === 0) return { ok: true, detail: `not reachable from here at ${url}` };
    const failed = new Set(states.filter(([, { ok }]) => !ok).map(([name]) => name));
    return failed.size === 0 ? { ok: true } : { ok: false, detail: `fails at a redirector: ${[...failed].join(', ')}` };
  };
}
