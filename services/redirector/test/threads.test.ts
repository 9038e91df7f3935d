/** If a visitor thread ends or hangs, no click is lost and no promise is broken. */
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { CLICKS, type ClickEvent } from '@waypost/domain';
import type { BusMessage } from '@waypost/ports';
import { listening, SILENT } from '@waypost/test-support';
import { afterwards, newFolder } from '@waypost/test-support/afterwards';
import { VISITOR_SETTINGS } from '@waypost/test-support/visitor-settings';
import { createRedirector, type RedirectorDeps } from '../src/index.ts';
import { eventually, link, request } from './support.ts';

const DIE = 'dieDIE1';
const HANG = 'hangHG1';

async function start(threads: number, folder = newFolder(), hangMs = 0) {
  const port = await freePort();
  const sent: BusMessage[] = [];
  const redirector = createRedirector({
    ...settings(threads, port),
    own: { hangMs },
    bus: { publishEncoded: async (_topic, messages) => void sent.push(...messages) },
    clickLogDir: folder,
  });
  let running = true;
  const stop = async () => {
    if (running) await redirector.stop();
    running = false;
  };
  afterwards(stop);
  await redirector.start();
  const clicks = () => sent.flatMap(({ value }) => value.split('\n').map(CLICKS.decode));
  const clicked = () => clicks().map(({ slug }) => slug);
  return { redirector, folder, clicks, clicked, get: (slug: string) => request(port, `/${slug}`), stop };
}

function settings(threads: number, port: number): RedirectorDeps<{ readonly hangMs: number }> {
  return {
    threads,
    threadModule: new URL('./visitor-thread.ts', import.meta.url),
    threadDependencies: ['store'],
    own: { hangMs: 0 },
    host: '127.0.0.1',
    port,
    bus: { publishEncoded: async () => undefined },
    ...VISITOR_SETTINGS,
    clickLogDir: newFolder(),
    logger: SILENT,
    logLevel: 'error',
    now: Date.now,
  };
}

async function freePort(): Promise<number> {
  const server = net.createServer();
  const port = await listening(server);
  await once(server.close(), 'close');
  return port;
}

test('replaces a thread that dies at once, and ships its clicks', async () => {
  const { redirector, get, clicked } = await start(1);
  for (let n = 0; n < 50; n++) expect((await get(`before${n}`)).status).toBe(302);
  await expect(get(DIE)).rejects.toThrow();
  await eventually(async () => expect((await get('after1')).status).toBe(302));
  await eventually(() => expect(clicked().length).toBe(51));
  expect(new Set(clicked()).size).toBe(51);
  await eventually(async () => expect((await redirector.status()).uncaptured).toBe(0));
  // The counts of a thread that ended are kept.
  expect(redirector.visited().answers.redirect).toBe(51);
  expect((await redirector.status()).captured).toBe(51);
});

test('several threads share the port, and a change resolves once each has confirmed it', async () => {
  const { redirector, get } = await start(3);
  const all = Array.from({ length: 60 }, (_, n) => n);
  // Each request has its own connection. The kernel distributes them, so every thread caches the link.
  await Promise.all(all.map(async () => expect((await get('shared1')).status).toBe(302)));
  expect((await redirector.status()).linksInMemory).toBeGreaterThan(1);
  await redirector.changed([link('shared1', { status: 'revoked', revokedAt: '2026-08-19T10:00:00.000Z', version: 2 })]);
  const after = await Promise.all(all.map(async () => (await get('shared1')).status));
  expect(new Set(after)).toEqual(new Set([410]));
});

test('after a rotation, all threads and their replacements use the new visitor secret', async () => {
  const { redirector, get, clicks } = await start(2);
  const visit = async (count: number) => {
    const rotatedClicks = () => clicks().filter(({ slug }) => slug === 'rotated');
    const before = rotatedClicks().length;
    // Each request has its own connection, so both threads answer some.
    await Promise.all(Array.from({ length: count }, () => get('rotated')));
    await eventually(() => expect(rotatedClicks().length).toBe(before + count));
    return rotatedClicks().slice(before);
  };
  const hashesOf = (events: readonly ClickEvent[], field: 'visitor' | 'previous_visitor') => [
    ...new Set(events.map((click) => click[field])),
  ];
  const before = await visit(30);
  const [first] = hashesOf(before, 'visitor');
  expect([hashesOf(before, 'visitor'), hashesOf(before, 'previous_visitor')]).toEqual([[first], [undefined]]);

  await redirector.rotate({ current: Buffer.alloc(32, 2), previous: Buffer.alloc(32, 1) });
  const after = await visit(30);
  const [second] = hashesOf(after, 'visitor');
  expect(second).not.toBe(first);
  expect([hashesOf(after, 'visitor'), hashesOf(after, 'previous_visitor')]).toEqual([[second], [first]]);

  for (const _thread of [1, 2]) await get(DIE).catch(() => undefined);
  await eventually(async () => expect((await get('alive12')).status).toBe(302));
  const replaced = await visit(30);
  expect([hashesOf(replaced, 'visitor'), hashesOf(replaced, 'previous_visitor')]).toEqual([[second], [first]]);
});

test('terminates a thread that does not confirm a change, because it might use the older version', async () => {
  const { redirector, get } = await start(1, newFolder(), 60_000);
  expect((await get('stale12')).status).toBe(302);
  const hanging = get(HANG).catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 50));
  const startedAt = performance.now();
  await redirector.changed([link('stale12', { version: 2 })]);
  expect(performance.now() - startedAt).toBeLessThan(4_000);
  await hanging; // the thread has ended, so its connection is closed
  await eventually(async () => expect((await get('stale12')).status).toBe(302));
});

test('ships the clicks of earlier threads, even if there are fewer threads now', async () => {
  const first = await start(3);
  await first.stop();
  const abandoned = path.join(first.folder, 'thread-3');
  expect(readdirSync(abandoned)).toBeDefined();
  // A killed process leaves this: clicks in the log of a thread that no longer starts.
  rmSync(abandoned, { recursive: true });
  mkdirSync(abandoned);
  const alone = await start(1, abandoned);
  for (let n = 0; n < 20; n++) await alone.get(`left${n}`);
  await alone.stop();
  rmSync(path.join(abandoned, 'cursor.json'));

  const second = await start(1, first.folder);
  await eventually(() => expect(second.clicked().length).toBe(20));
  await second.stop();
});

test('fails to start on a port that another program uses, with one thread or several', async () => {
  const other = net.createServer();
  const port = await listening(other);
  for (const threads of [1, 2]) {
    const redirector = createRedirector(settings(threads, port));
    await expect(redirector.start()).rejects.toThrow(`Port ${port} on 127.0.0.1 is in use by another program.`);
    await redirector.stop();
  }
  other.close();
});

test('without threads, as in operator commands of a stopped Waypost, there are no checks of threads', async () => {
  const namesOf = (threads: number) => Object.keys(createRedirector(settings(threads, 0)).checks);
  expect(namesOf(0)).toEqual(['click_log']);
  expect(namesOf(1)).toEqual(['click_log', 'store', 'visitor_proxies']);
});
