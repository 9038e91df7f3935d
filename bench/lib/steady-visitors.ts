/**
 * Simulates visitors at a steady rate, in a separate process that the work of the benchmark does not delay. Each visit
 * starts on time, even if earlier visits have no answer yet. It reads commands from stdin: `begin`, and `end`, which
 * prints what the visitors saw since `begin`, as JSON.
 *
 *   node steady-visitors.ts HOST:PORT PER_SECOND SLUG...
 */
import net from 'node:net';
import os from 'node:os';
import { createInterface } from 'node:readline';
import { quantile } from './product.ts';

export interface Seen {
  readonly visits: number;
  /** Counts of other outcomes than 302. */
  readonly others: Readonly<Record<string, number>>;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** The worst delay of this process's timer. It shows how much of the figures comes from the machine. */
  readonly lateMs: number;
  /** Visits that were in progress while this process stood still for STOOD_MS. They say nothing about the product. */
  readonly disturbed: number;
}

const [address = '', perSecond = '500', ...slugs] = process.argv.slice(2);
const [host, port] = address.split(':');
const CONNECTIONS = 40;
const CONNECTIONS_MAX = 400;
const TICK_MS = 2;
/** This process has a high priority, so a timer this late means that the whole machine stood still. */
const STOOD_MS = 5;

try {
  os.setPriority(-15); // real visitors use no processor of this machine
} catch {
  // only root may raise the priority
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
  // Connections take turns, so that the server closes none of them as idle.
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
  // Node reads answers after timers, so a busy line was waiting during the pause.
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
