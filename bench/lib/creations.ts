/** Single creations through the public port, with `wrk`. */
import { execFileSync } from 'node:child_process';
import { scratchFile } from './product.ts';

export interface Creations {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/**
 * One round: each of the `connections` sends the next request once it is answered, with the next of the `keys`. Throws if
 * any creation failed.
 */
export function creationLoad(
  product: { readonly api: string; readonly key: string },
  keys: readonly string[] = [product.key],
) {
  const script = scratchFile(
    'create.lua',
    `wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '{"destination_url":"https://www.wikipedia.org/wiki/Main_Page?from=bench"}'
local keys, count = {${keys.map((key) => `"${key}"`).join()}}, 0
request = function()
  count = count + 1
  wrk.headers["Authorization"] = "Bearer " .. keys[count % #keys + 1]
  return wrk.format()
end`,
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
