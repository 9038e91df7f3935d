/** No click is lost only if the write of the click log comes before the answers. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import net from 'node:net';
import { expect, test } from '@jest/globals';
import { inProcessLinkCache } from '@waypost/adapter-embedded';
import { listening, SILENT } from '@waypost/test-support';
import { afterwards } from '@waypost/test-support/afterwards';
import { link, memoryReader } from '../../test/support.ts';
import { SlugResolver } from '../links/resolve-slug.ts';
import { RedirectListener } from './redirect.ts';
import { visitorCounts } from './visitor-counts.ts';

interface Commit {
  readonly lines: number;
  readonly answersSentBefore: number;
}

/** Starts a listener. At each write, its click log records how many answers had been sent. */
async function start() {
  const cache = inProcessLinkCache({ size: 10_000 });
  const resolve = new SlugResolver({
    cache,
    reader: memoryReader([]),
    microCache: { lifetimeMs: Number.POSITIVE_INFINITY, size: 10 },
  });
  await cache.announce([link('abcDEF1')]);
  const responses: ServerResponse[] = [];
  const commits: Commit[] = [];
  let lines = 0;
  const { listener } = new RedirectListener({
    resolve,
    recordClick: ({ slug }) => slug,
    clientAddress: () => '192.0.2.1',
    clickLog: {
      add: () => {
        lines += 1;
      },
      commit: () => {
        commits.push({ lines, answersSentBefore: responses.filter(({ headersSent }) => headersSent).length });
        lines = 0;
      },
    },
    readiness: async () => ({ status: 'ready', dependencies: {} }),
    baseUrl: 'https://go.example.org',
    contact: 'security@example.org',
    logger: SILENT,
    now: Date.now,
    counts: visitorCounts(),
  });
  const server = createServer((request, response) => {
    responses.push(response);
    listener(request, response);
  });
  afterwards(() => server.close().closeAllConnections());
  return { port: await listening(server), commits, cache };
}

function pipelined(port: number, count: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () =>
      socket.write('GET /abcDEF1 HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(count)),
    );
    let text = '';
    socket.on('data', (data) => {
      text += data;
      if (text.split(' 302 ').length - 1 === count) socket.destroy();
    });
    socket.on('close', () => resolve(text));
  });
}

test('all redirects of one turn share one write, and leave after it', async () => {
  const { port, commits } = await start();
  await pipelined(port, 10);
  expect(commits.reduce((sum, { lines }) => sum + lines, 0)).toBe(10);
  expect(commits.length).toBeLessThan(10);
  let answered = 0;
  for (const { lines, answersSentBefore } of commits) {
    expect(answersSentBefore).toBe(answered);
    answered += lines;
  }
});

test('a full turn of the event loop closes connections that sent many requests, not those that sent one', async () => {
  const { port } = await start();
  const clients = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const socket = net.connect(port, '127.0.0.1').on('error', () => undefined);
      await once(socket, 'connect');
      return socket;
    }),
  );
  const [polite, ...greedy] = clients;
  let cutOff = 0;
  for (const socket of greedy) {
    socket.on('close', () => {
      cutOff += 1;
    });
    socket.resume();
  }
  // The server runs in this thread, so all requests are sent before it reads any of them.
  const request = 'GET /abcDEF1 HTTP/1.1\r\nHost: x\r\n\r\n';
  for (const socket of greedy) socket.write(request.repeat(64));
  polite!.write(request);
  const [answer] = await once(polite!, 'data');
  expect(String(answer)).toContain(' 302 ');
  while (cutOff < 10) await new Promise((resolve) => setTimeout(resolve, 5));
  for (const socket of clients) socket.destroy();
});
