/** Requests as many as `connections` can send, by `wrk`, which costs the machine less than a client in Node. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { scratchFile } from './product.ts';

export interface Flood {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /**
   * Lua: an expression for the request with the number `n`, from 0. `get(path)` and `post(path, body)` make one; both
   * take a key of `keys` in turn. `slugs` is there, too.
   */
  readonly request: string;
  readonly keys?: readonly string[];
  readonly slugs?: readonly string[];
  /** Counts the answers by status, which costs wrk some of its speed. */
  readonly counts?: boolean;
}

export interface Flooded {
  readonly perSecond: number;
  readonly answers: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** With a status from 400 on. */
  readonly errors: number;
  /** Connections refused or cut off, and requests that got no answer within 8 s. */
  readonly broken: number;
  /** By status, with `counts`. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Answers 503 without `Retry-After`, with `counts`. */
  readonly withoutRetryAfter: number;
}

export async function flood({
  url,
  connections,
  seconds,
  request,
  keys = [],
  slugs = [],
  counts = false,
}: Flood): Promise<Flooded> {
  const script = scratchFile(
    'flood.lua',
    `
local keys = {${keys.map((key) => `"${key}"`).join(',')}}
local slugs = {${slugs.map((slug) => `"${slug}"`).join(',')}}
local agent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36"
local n = -1
local function headers()
  local all = { ["User-Agent"] = agent, ["Content-Type"] = "application/json" }
  if #keys > 0 then all["Authorization"] = "Bearer " .. keys[n % #keys + 1] end
  return all
end
function get(path) return wrk.format("GET", path, headers()) end
function post(path, body) return wrk.format("POST", path, headers(), body) end
request = function()
  n = n + 1
  return ${request}
end
answers, unhelpful = "", 0
local seen = {}
${
  counts
    ? `response = function(status, headers)
  seen[status] = (seen[status] or 0) + 1
  if status == 503 and headers["Retry-After"] == nil then unhelpful = unhelpful + 1 end
  answers = ""
  for each, count in pairs(seen) do answers = answers .. each .. "=" .. count .. "," end
end`
    : ''
}
local thread
setup = function(it) thread = it end
done = function(summary, latency)
  local errors = summary.errors
  io.write(string.format("RESULT %d %f %f %f %d %d %d [%s]\\n", summary.requests, summary.requests / (summary.duration / 1e6),
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout, thread:get("unhelpful"), thread:get("answers")))
end
`,
  );
  const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '8s', '-s', script];
  const { stdout } = await promisify(execFile)('wrk', [...options, url]);
  const [, answers, perSecond, p50, p99, errors, broken, unhelpful, statuses] =
    /RESULT (\S+) (\S+) (\S+) (\S+) (\S+) (\S+) (\S+) \[(.*)\]/.exec(stdout) ?? [];
  if (statuses === undefined) throw new Error(`wrk printed: ${stdout}`);
  return {
    answers: Number(answers),
    perSecond: Number(perSecond),
    p50: Number(p50),
    p99: Number(p99),
    errors: Number(errors),
    broken: Number(broken),
    withoutRetryAfter: Number(unhelpful),
    statuses: Object.fromEntries(
      statuses
        .split(',')
        .filter(Boolean)
        .map((pair) => pair.split('='))
        .map(([status, count]) => [status, Number(count)]),
    ),
  };
}
