import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { newFolder } from '@waypost/test-support/afterwards';
import { ofOneProcess, product } from '../product.ts';
import {
  comesTo,
  DESTINATION,
  eventually,
  expectError,
  freshSlug,
  metricOf,
  signalDatabase,
  visit,
} from '../support.ts';
import { onStack } from '../waypost-process.ts';

// A script in this folder replaces systemd's program, and sends its arguments to the socket.
const programs = newFolder();
const told = path.join(programs, 'told');
const script = '#!/bin/sh\necho "$@ $NOTIFY_SOCKET" >> "$(dirname "$0")/told"\n';
fs.writeFileSync(path.join(programs, 'systemd-notify'), script, { mode: 0o755 });
const { waypost, api } = product({ PATH: `${programs}:${process.env.PATH}`, NOTIFY_SOCKET: '/run/notify' });

ofOneProcess('a systemd unit with Type=notify learns once that it is ready', async () => {
  const notifications = async () => (fs.existsSync(told) ? fs.readFileSync(told, 'utf8') : '');
  await comesTo(notifications, '--ready --status=Ready /run/notify\n', 5_000);
});

describe.each(['api', 'redirect'] as const)('the %s port', (port) => {
  test.each(['/healthz', '/readyz'])('answers GET and HEAD without a key, and refuses POST, at %s', async (path) => {
    const { status, headers } = await visit(waypost[port], path);
    expect([status, headers['content-type']]).toEqual([200, expect.stringMatching(/^application\/json/)]);
    const head = await visit(waypost[port], path, { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    const post = await visit(waypost[port], path, { method: 'POST' });
    expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD']);
  });

  test('does not serve /metrics', async () => {
    expect((await visit(waypost[port], '/metrics')).status).toBe(404);
  });
});

test('the internal port serves /metrics as Prometheus text', async () => {
  const { status, headers, text } = await visit(waypost.internal, '/metrics');
  expect(status).toBe(200);
  expect(headers['content-type']).toMatch(/^text\/plain/);
  expect(text).toMatch(/^# HELP \w+ /m);
  expect(text).toMatch(/^\w+(\{.*\})? [\d.e+-]+$/m);
});

const figure = (series: string) => metricOf(waypost.internal, series);

ofOneProcess('/metrics counts the answers to visitors and callers', async () => {
  const custom_slug = freshSlug();
  const body = { destination_url: DESTINATION, custom_slug };
  for (const status of [201, 409]) expect((await api('POST', '/api/v1/links', body)).status).toBe(status);
  await visit(waypost.api, '/api/v1/links');
  for (const path of ['/nowhere-1', '/nowhere-2']) await visit(waypost.api, path);
  const answers = (kind: string) => figure(`waypost_redirector_answers_total{kind="${kind}"}`);
  const before = await answers('not_found');
  const durations = 'waypost_redirector_answer_duration_seconds_count';
  const answered = await figure(durations);
  for (const path of [`/${custom_slug}`, '/not-there', `/${custom_slug}+`]) await visit(waypost.redirect, path);
  const requests = (labels: string) => figure(`waypost_api_requests_total{${labels}}`);
  expect(await requests('method="POST",route="/api/v1/links",status="201"')).toBe(1);
  expect(await requests('method="POST",route="/api/v1/links",status="409"')).toBe(1);
  expect(await requests('method="GET",route="/api/v1/links",status="401"')).toBe(1);
  expect(await requests('method="GET",route="other",status="404"')).toBeGreaterThanOrEqual(2);
  expect(await figure('waypost_api_operations_total{operation="createLink",outcome="done"}')).toBe(1);
  expect(await figure('waypost_api_operations_total{operation="createLink",outcome="slug_taken"}')).toBe(1);
  expect(await figure('waypost_links_created_total{status="active"}')).toBe(1);
  expect(await figure('waypost_scanner_urls_total{outcome="clean",source="none"}')).toBe(1);
  expect([await answers('redirect'), await answers('preview')]).toEqual([1, 1]);
  expect(await answers('not_found')).toBe(before! + 1);
  expect(await figure(durations)).toBe(answered! + 3);
  expect(await figure('waypost_click_log_captured_total')).toBe(1);
});

describe('with a database that hangs', () => {
  const frozen = async <T>(work: () => Promise<T>): Promise<T> => {
    const signal = signalDatabase(waypost.dataDir, onStack() ? 'postgres/data' : 'postgres');
    signal('SIGSTOP');
    return work().finally(() => signal('SIGCONT'));
  };

  ofOneProcess('/metrics lacks the figures of the database, and has the others', async () => {
    expect(await figure('waypost_outbox_events')).toBe(0);
    await frozen(async () => {
      const begin = performance.now();
      expect(await figure('waypost_outbox_events')).toBeUndefined();
      expect(performance.now() - begin).toBeLessThan(4_000);
      expect(await figure('waypost_redirector_answers_total{kind="redirect"}')).toBe(1);
    });
    await comesTo(() => visit(waypost.internal, '/readyz'), { status: 200 }, 10_000);
    expect(await figure('waypost_outbox_events')).toBe(0);
  });

  test('an error comes within 5 s, has an error_id that is in the log, and ends with the fault', async () => {
    const create = () => api('POST', '/api/v1/links', { destination_url: DESTINATION });
    const begin = performance.now();
    const answer = await frozen(create);
    expect(performance.now() - begin).toBeLessThan(5_000);
    expectError(answer, 503);
    const lines = waypost.output().split('\n');
    const line = lines.find((each) => each.includes(answer.body.error_id));
    expect(JSON.parse(line ?? 'null')).toMatchObject({ error_id: answer.body.error_id });
    await comesTo(create, { status: 201 }, 20_000);
  });
});

test('/readyz has all details on the internal port, and only name and ok on the public ones', async () => {
  const inside = JSON.parse((await visit(waypost.internal, '/readyz')).text);
  // Separate processes each have their own internal port. This one is the scanner's.
  const facts = onStack()
    ? { threat_database: { ok: true, entries: expect.any(Number) } }
    : { disk: { ok: true, free_bytes: expect.any(Number) }, scanner: { ok: true, entries: expect.any(Number) } };
  expect(inside).toMatchObject({ status: 'ready', dependencies: facts });
  for (const port of ['api', 'redirect'] as const) {
    const read = async () => JSON.parse((await visit(waypost[port], '/readyz')).text).dependencies;
    // The test before froze the database, and each process finds out by itself that it is back.
    const dependencies = await eventually(read, (each) => !JSON.stringify(each).includes('"ok":false'), 20_000);
    expect(Object.keys(dependencies)).toEqual(expect.arrayContaining(['clock', 'disk']));
    for (const [name, state] of Object.entries(dependencies)) {
      expect(state).toEqual({ ok: true });
      if (!onStack()) expect(inside.dependencies).toHaveProperty(name);
    }
  }
});

test('no port accepts operator commands', async () => {
  for (const port of ['api', 'redirect', 'internal'] as const) {
    expect([404, 405]).toContain((await visit(waypost[port], '/operator', { method: 'POST' })).status);
  }
});
