/** Single creations through the public port, with `wrk`. */
import { execFileSync } from 'node:child_process';
import { scratchFile } from './product.ts';

export interface Creations {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** One round: each of the `connections` sends the next request once it is answered. Throws if any creation failed. */
export function creationLoad(product: { readonly api: string; readonly key: string }) {
  const script = scratchFile(
    'create.lua',
    `wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer ${product.key}"
wrk.body = '{"destination_url":"https://www.wikipedia.org/wiki/Main_Page?from=bench"}'`,
  );
  return (connections: number, seconds: number): Creations => {
    const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '-s', script];
    const output = execFileSync('wrk', [...options, `${product.api}/api/v1/links`], { encoding: 'utf8' });
    const failed = /Non-2xx or 3xx responses: (\d+)/.exec(output)?.[1];
    if (failed !== undefined) throw new Error(`${failed} creations failed`);
    const ms = (line: RegExp) => {
      const [, amount = '0', unit = 'ms'] = line.exec(output) ?? [];
      return Number(amount) * ({ us: 0.001, ms: 1, s: 1000 }[unit] ?? 1);
    };
    return {
      perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]),
      p50: ms(/50%\s+([\d.]+)(us|ms|s)/),
      p99: ms(/99%\s+([\d.]+)(us|ms|s)/),
    };
  };
}

/** The median round by its p50. */
export function middleRound<T extends Creations>(rounds: readonly T[]): T {
  return rounds.toSorted((one, other) => one.p50 - other.p50)[Math.floor(rounds.length / 2)]!;
}
