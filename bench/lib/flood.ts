/** Sends as many requests as `connections` can carry. It uses `wrk`, which needs less CPU than a client in Node. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

export interface Flood {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /**
   * A Lua expression that returns the request with the number `n`, which starts at 0. `get(path)` and `post(path,
   * body)` make a request with the next key of `keys`. `slugs` and `rest` are variables, too.
   */
  readonly request: string;
  /** The rest of a request after its target. A request built as text costs wrk less than `get` or `post`. */
  readonly rest?: string;
  readonly keys?: readonly string[];
  readonly slugs?: readonly string[];
  /** Each connection waits for this time before it sends a request. */
  readonly delayMs?: number;
  /** Counts the answers by status, which makes wrk slower. */
  readonly counts?: boolean;
}

export interface Flooded {
  readonly perSecond: number;
  readonly answers: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Answers with a status of 400 or more. */
  readonly errors: number;
  /** Connections refused or cut off, and requests that got no answer within 8 s. */
  readonly broken: number;
  /** Answers by status; empty without `counts`. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Answers 503 without `Retry-After`; 0 without `counts`. */
  readonly withoutRetryAfter: number;
}

export async function flood(plan: Flood): Promise<Flooded> {
  const { rest = '', keys = [], slugs = [] } = plan;
  const folder = mkdtempSync(path.join(tmpdir(), 'waypost-bench-'));
  const script = path.join(folder, 'flood.lua');
  writeFileSync(
    script,
    `
local keys = {${keys.map((key) => `"${key}"`).join(',')}}
local slugs = {${slugs.map((slug) => `"${slug}"`).join(',')}}
local rest = ${JSON.stringify(rest)}
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
  return ${plan.request}
end
${plan.delayMs === undefined ? '' : `function delay() return ${plan.delayMs} end`}
answers, unhelpful = "", 0
local seen = {}
${
  plan.counts
    ? `response = function(status, headers)
  seen[status] = (seen[status] or 0) + 1
  if status == 503 and headers["Retry-After"] == nil then unhelpful = unhelpful + 1 end
  answers = ""
  for each, count in pairs(seen) do answers = answers .. string.format('"%d":%d,', each, count) end
end`
    : ''
}
local thread
setup = function(it) thread = it end
done = function(summary, latency)
  local errors = summary.errors
  io.write(string.format('RESULT{"answers":%d,"perSecond":%f,"p50":%f,"p99":%f,"errors":%d,"broken":%d,"withoutRetryAfter":%d,"statuses":{%s}}\\n',
    summary.requests, summary.requests / (summary.duration / 1e6), 
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout, thread:get("unhelpful"),
    thread:get("answers"):sub(1, -2)))
end
`,
  );
  const options = ['-t1', `-c${plan.connections}`, `-d${plan.seconds}s`, '--timeout', '8s', '-s', script];
  const { stdout } = await promisify(execFile)('wrk', [...options, plan.url]);
  rmSync(folder, { recursive: true });
  const [, result] = /RESULT(.*)/.exec(stdout) ?? [];
  if (result === undefined) throw new Error(`wrk printed: ${stdout}`);
  return JSON.parse(result);
}
