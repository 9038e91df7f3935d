/** Tests the inspector's HTTP endpoint as the scanner calls it. */
import { createServer } from 'node:http';
import { afterAll, expect, test } from '@jest/globals';
import { httpPageInspector } from '@waypost/adapter-http';
import type { Inspection } from '@waypost/ports';
import { listening, SILENT } from '@waypost/test-support';
import express from 'express';
import { inspectorRouter } from '../src/inspector-router.ts';

const PAGE: Inspection = { kind: 'page', status: 200, title: 'ü', hasPassword: true, icon: null, program: null };
const calls: [url: string, withinMs: number][] = [];
let answer: () => Promise<unknown> = async () => PAGE;

const inspector = {
  inspect: (url: string, withinMs: number) => {
    calls.push([url, withinMs]);
    return answer() as Promise<Inspection>;
  },
};
const server = createServer(express().use(inspectorRouter({ inspector, logger: SILENT })));
const base = `http://127.0.0.1:${await listening(server)}`;
const client = httpPageInspector({ url: base });
afterAll(() => {
  client.stop();
  server.close();
});

test.each<Inspection>([
  PAGE,
  { ...PAGE, icon: '/i.ico', program: 'a Windows program' },
  { kind: 'redirect', location: '//evil.example/\u{1f600}' },
  { kind: 'refused', why: 'no' },
  { kind: 'failed', why: 'no' },
])('the client gets the same inspection: %j', async (inspection) => {
  answer = async () => inspection;
  expect(await client.inspect('http://a.example.org/?ü', 1_234.5)).toEqual(inspection);
  expect(calls.at(-1)).toEqual(['http://a.example.org/?ü', 1_235]);
});

test('the router limits the time of a call to that of the inspector', async () => {
  answer = async () => PAGE;
  await client.inspect('http://a.example.org/', 60_000);
  expect(calls.at(-1)![1]).toBe(5_000);
});

test.each([
  {},
  { kind: 'page' },
  { ...PAGE, title: 7 },
  { kind: 'redirect' },
  { kind: 'else', why: '' },
  null,
  'x'.repeat(70_000),
])('the client throws if the answer is not an inspection: %j', async (nonsense) => {
  answer = async () => nonsense;
  await expect(client.inspect('http://a.example.org/', 1_000)).rejects.toThrow();
});

test('an internal failure is a 500 that does not reveal the cause', async () => {
  answer = async () => {
    throw new Error('secret');
  };
  const response = await post('{"url":"x","within_ms":1}');
  expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining('secret')]);
});

test.each([
  ['{}', 400],
  ['{"url":7,"within_ms":1}', 400],
  ['{"url":"x","within_ms":"1"}', 400],
  ['{"url":"x","within_ms":-1}', 400],
  ['[', 400],
  ['null', 400],
  [JSON.stringify({ url: 'x'.repeat(20_000), within_ms: 1 }), 413],
])('%s is %i', async (body, status) => {
  calls.length = 0;
  expect((await post(body)).status).toBe(status);
  expect(calls).toEqual([]);
});

const post = (body: string) =>
  fetch(`${base}/inspect`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });

test('the client reports whether the inspector is reachable', async () => {
  expect(await client.health()).toEqual({ ok: false, detail: 'it returned status 404' });
  const gone = httpPageInspector({ url: 'http://127.0.0.1:1' });
  expect(await gone.health()).toMatchObject({ ok: false });
  await expect(gone.inspect('http://a.example.org/', 100)).rejects.toThrow();
});
