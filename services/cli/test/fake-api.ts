import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll } from '@jest/globals';
import { runClient } from '../src/index.ts';
import type { Terminal } from '../src/terminal.ts';

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: unknown;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The body of the answer if it is not JSON. */
  readonly text?: string | Uint8Array;
  readonly hangUp?: true;
}

export const KEY = 'wp_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLM';

export function fakeApi() {
  let replies: Reply[] = [];
  const seen: Seen[] = [];
  const server = http.createServer(async (request, response) => {
    const text = (await buffer(request)).toString('utf8');
    const { method = '', url = '', headers } = request;
    seen.push({ method, url, headers, body: text === '' ? undefined : JSON.parse(text) });
    const reply = replies.shift() ?? { status: 599, text: 'no reply was prepared' };
    if (reply.hangUp) return void request.socket.destroy();
    response.writeHead(reply.status ?? 200, { 'Content-Type': 'application/json', ...reply.headers });
    response.end(reply.text ?? JSON.stringify(reply.body));
  });
  beforeAll(() => listening(server));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  return {
    get url() {
      return urlOf(server);
    },
    seen,
    reply: (...next: Reply[]) => {
      replies = next;
      seen.length = 0;
    },
    run: async (
      args: readonly string[],
      options: { stdin?: string; environment?: NodeJS.ProcessEnv; terminal?: Partial<Terminal> } = {},
    ) => {
      const stdout: string[] = [];
      const stderr: string[] = [];
      const waits: number[] = [];
      const code = await runClient(
        args,
        { WAYPOST_API_KEY: KEY, WAYPOST_URL: urlOf(server), ...options.environment },
        {
          out: (text) => void stdout.push(text),
          err: (text) => void stderr.push(text),
          readStdin: async () => Buffer.from(options.stdin ?? ''),
          columns: 200,
          sleep: async (ms) => void waits.push(ms),
          random: () => 0.5,
          ...options.terminal,
        },
      );
      return { code, stdout: stdout.join(''), stderr: stderr.join(''), waits };
    },
  };
}

export async function listening(server: http.Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return urlOf(server);
}

const urlOf = (server: http.Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Starts a proxy on this machine. `tunnels` records where its connections led. */
export async function startProxy() {
  const tunnels: string[] = [];
  const server = http.createServer().on('connect', ({ url = '' }, client) => {
    tunnels.push(url);
    const [host, port] = url.split(':');
    const there = net.connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      there.pipe(client).pipe(there);
    });
    there.once('error', () => client.destroy());
    client.once('error', () => there.destroy());
  });
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: await listening(server), tunnels, stop };
}

export const refusal = (status: number, error: string, message: string, details?: object): Reply => ({
  status,
  body: { error, message, status, ...(details && { details }) },
});

/** A terminal at which a person gives this answer to every question. `questions` collects the questions. */
export const answering = (answer: string, questions: string[] = []): Partial<Terminal> => ({
  ask: async (question) => {
    questions.push(question);
    return answer;
  },
});

export const LINK = {
  slug: 'aB3dE6g',
  destination_url: 'https://www.wikipedia.org/',
  status: 'active',
  threat_type: null,
  revoked_at: null,
  tags: ['docs', 'spring'],
  title: null,
  note: null,
  ends_at: null,
  created_at: '2026-11-21T12:30:05.123Z',
  updated_at: '2026-11-21T12:30:05.123Z',
};

export const CREATED = { link: LINK, short_url: 'http://localhost:8081/aB3dE6g' };
