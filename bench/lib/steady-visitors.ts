/**
 * Visitors at a steady rate, in a separate process, so that the work of the benchmark delays none. An open loop: each
 * visit starts on time, whatever the state of earlier ones. Commands on stdin: `begin`, and `end`, which prints what
 * the visitors saw since then, as JSON.
 *
 *   node steady-visitors.ts HOST:PORT PER_SECOND SLUG...
 */
import net from 'node:net';
import os from 'node:os';
import { createInterface } from 'node:readline';
import { quantile } from './product.ts';

export interface Seen {
  readonly visits: number;
  /** Responses other than 302, with their counts. */
  readonly others: Readonly<Record<string, number>>;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** The worst delay of this process's timer: the machine's share in the figures. */
  readonly lateMs: number;
  /** Visits under way while this process itself stood for STOOD_MS: they say nothing of the product, and are no visits. */
  readonly disturbed: number;
}

const [address = '', perSecond = '500', ...slugs] = process.argv.slice(2);
const [host, port] = address.split(':');
const CONNECTIONS = 40;
const CONNECTIONS_MAX = 400;
const TICK_MS = 2;
/** With its priority, this process waits for a processor that long only if the machine stands. */
const STOOD_MS = 5;

try {
  os.setPriority(-15); // real visitors are elsewhere and do not compete for this machine's processors
} catch {
  // as root only
}

interface Line {
  readonly socket: net.Socket;
  askedAt: number;
  busy: boolean;
  isDisturbed: boolean;
}

let times: number[] = [];
let disturbed = 0;
let others: Record<string, number> = {};
let lateMs = 0;
const lines: Line[] = [];

function connect(): Line {
  const socket = net.connect(Number(port), host);
  socket.setNoDelay(true);
  const line: Line = { socket, askedAt: 0, busy: false, isDisturbed: false };
  let answer = '';
  socket.on('data', (bytes) => {
    answer += bytes.toString('latin1');
    if (!answer.includes('\r\n\r\n')) return;
    const status = answer.slice(9, 12);
    if (line.isDisturbed) disturbed += 1;
    else times.push(performance.now() - line.askedAt);
    if (status !== '302') others[status] = (others[status] ?? 0) + 1;
    answer = '';
    line.busy = false;
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    if (line.busy) others['broken off'] = (others['broken off'] ?? 0) + 1;
    lines.splice(lines.indexOf(line), 1);
  });
  lines.push(line);
  return line;
}

let visits = 0;
function visit(dueAt: number): void {
  visits += 1;
  // In turn, so that no connection idles until the server closes it.
  const free = ({ busy }: Line) => !busy;
  const idle =
    lines.slice(visits % CONNECTIONS).find(free) ??
    lines.find(free) ??
    (lines.length < CONNECTIONS_MAX ? connect() : undefined);
  if (idle === undefined) {
    others['no connection'] = (others['no connection'] ?? 0) + 1;
    return;
  }
  idle.busy = true;
  idle.isDisturbed = false;
  idle.askedAt = Math.max(dueAt, performance.now() - TICK_MS);
  const slug = slugs[visits % slugs.length];
  idle.socket.write(
    `GET /${slug} HTTP/1.1\r\nHost: go.example.org\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64) Chrome/142.0.0.0\r\nAccept: text/html\r\nReferer: https://news.example.com/\r\n\r\n`,
  );
}

for (let i = 0; i < CONNECTIONS; i++) connect();
const everyMs = 1_000 / Number(perSecond);
let dueAt = performance.now() + 500;
let lastTick = performance.now();
setInterval(() => {
  const now = performance.now();
  const late = now - lastTick - TICK_MS;
  lateMs = Math.max(lateMs, late);
  lastTick = now;
  // Answers are read after timers, so what is busy now was under way.
  if (late >= STOOD_MS) for (const line of lines) line.isDisturbed = true;
  for (; dueAt <= now; dueAt += everyMs) visit(dueAt);
}, TICK_MS);

createInterface({ input: process.stdin }).on('line', (command) => {
  if (command === 'end') {
    const [p50, p99, max] = [0.5, 0.99, 1].map((q) => quantile(times, q));
    console.log(JSON.stringify({ visits: times.length, others, p50, p99, max, lateMs, disturbed }));
  }
  times = [];
  disturbed = 0;
  others = {};
  lateMs = 0;
});
process.stdin.on('end', () => process.exit(0));
