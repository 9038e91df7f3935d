import http from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, expect, test } from '@jest/globals';
import { readAll } from '@waypost/adapter-kafka/under-test';
import { listening } from '@waypost/test-support';
import { comesTo, DESTINATION, eventually, freshHost, importFeed, newLink } from '../../support.ts';
import type { Json } from '../../waypost-process.ts';
import { stackUnderTest } from './stack-under-test.ts';

interface SeenSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
}

/** This server imitates an OpenTelemetry collector, which receives OTLP as JSON over HTTP. */
const spans: SeenSpan[] = [];
const collector = http.createServer(async (request, response) => {
  const { resourceSpans } = (await json(request)) as Json;
  for (const { resource, scopeSpans } of resourceSpans) {
    const service = resource.attributes.find(({ key }: { key: string }) => key === 'service.name').value.stringValue;
    for (const { spans: these } of scopeSpans) {
      for (const { name, traceId, spanId, parentSpanId } of these)
        spans.push({ service, name, traceId, spanId, parentSpanId });
    }
  }
  response.setHeader('Content-Type', 'application/json').end('{}');
});

const { stack, api } = stackUnderTest({
  LOG_LEVEL: 'info',
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await listening(collector)}`,
  OTEL_TRACES_SAMPLER_ARG: '1',
  OTEL_BSP_SCHEDULE_DELAY: '200',
  WEBHOOK_HOSTS_ALLOWED: '127.0.0.0/8',
});
afterAll(() => void collector.close());

const arrived = <T>(read: () => Promise<T>) => eventually(read, (value) => value !== undefined);
const spansOf = (traceId: string) => spans.filter((span) => span.traceId === traceId);
const names = (seen: readonly SeenSpan[]) => seen.map(({ service, name }) => `${service}: ${name}`).sort();
const logLines = (traceId: string) =>
  stack.waypost
    .output()
    .split('\n')
    .filter((line) => line.includes(traceId) && line.startsWith('{'))
    .map((line) => JSON.parse(line) as { service: string; message: string; trace_id: string });

test("a creation's trace goes from the caller through link-api and the scanner to the bus and the webhook", async () => {
  const url = `http://127.0.0.1:${await listening(http.createServer((_request, response) => response.end()).unref())}/`;
  expect((await api('POST', '/api/v1/webhooks', { url, events: ['link.created'] })).status).toBe(201);
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const link = { destination_url: DESTINATION, custom_slug: 'traced' };
  const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
  expect((await api('POST', '/api/v1/links', link, { traceparent })).status).toBe(201);

  const event = await arrived(async () =>
    (await readAll(stack.kafka, 'links')).find(({ key: slug }) => slug === 'traced'),
  );
  expect(event!.headers.traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
  const lines = logLines(traceId);
  expect(lines.map(({ service, message }) => `${service}: ${message}`).sort()).toEqual([
    'link-api: request',
    'scanner: scanned',
  ]);
  expect(lines.every(({ trace_id }) => trace_id === traceId)).toBe(true);
  const steps = [
    'link-api: EVALSHA',
    'link-api: POST',
    'link-api: POST /api/v1/links',
    'link-api: SELECT',
    'link-api: deliver webhook',
    'link-api: send link event',
    'scanner: POST /scan',
  ];
  await comesTo(() => names(spansOf(traceId)), expect.arrayContaining(steps), 15_000);
}, 90_000);

test('the event of a later verdict belongs to the trace of the import that caused it', async () => {
  const url = `https://${freshHost()}/traced`;
  const { slug } = await newLink(api, { destination_url: url });
  await importFeed(stack.waypost, `${url}\n`);
  const headersOn = async (topic: string, type: string) =>
    (await readAll(stack.kafka, topic)).find(({ key: of, value }) => of === slug && JSON.parse(value).type === type)
      ?.headers.traceparent;
  const flagged = await arrived(() => headersOn('links', 'link.flagged'));
  const threat = await headersOn('verdicts', 'threat.found');
  expect(flagged!.split('-')[1]).toBe(threat!.split('-')[1]);
  expect(flagged!.split('-')[1]).not.toBe((await headersOn('links', 'link.created'))!.split('-')[1]);
}, 120_000);

test("a click's trace id is the id of its row in ClickHouse", async () => {
  const visit = await fetch(`${stack.redirect}/traced`, { redirect: 'manual' });
  expect(visit.status).toBe(302);

  const click = await arrived(async () => (await readAll(stack.kafka, 'clicks'))[0]);
  const [, traceId, , flags] = click!.headers.traceparent!.split('-');
  expect(flags).toBe('01');
  const query = "SELECT replaceAll(toString(event_id), '-', '') FROM waypost.clicks WHERE slug = 'traced'";
  const { origin, username, password } = new URL(stack.access['link-api'].CLICKHOUSE_URL!);
  const authorization = `Basic ${btoa(`${username}:${password}`)}`;
  const rows = async () =>
    (await fetch(`${origin}/?query=${encodeURIComponent(query)}`, { headers: { authorization } })).text();
  await comesTo(rows, `${traceId}\n`, 30_000);
  await comesTo(() => names(spansOf(traceId!)), ['analytics-ingest: store click', 'redirector: ship click'], 15_000);
  const [shipped, stored] = ['ship click', 'store click'].map((name) =>
    spansOf(traceId!).find((span) => span.name === name),
  );
  expect([shipped!.parentSpanId, stored!.parentSpanId]).toEqual([undefined, shipped!.spanId]);
}, 90_000);
