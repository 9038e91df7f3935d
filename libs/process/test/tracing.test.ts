import type http from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import { CLICKS, type ClickEvent } from '@waypost/domain';
import {
  inClientSpan,
  inSpan,
  recordSpans,
  startTracing,
  type TracingConfig,
  traceIdNow,
  traceIdOf,
  traceparent,
  traceparentOfUuid,
} from '@waypost/telemetry';
import { afterwards, serve } from '@waypost/test-support/afterwards';
import { inBatches } from '@waypost/typed-bus';
import express from 'express';
import { tracePublicRequests, traceRequests } from '../src/index.ts';

const PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const TRACE = PARENT.slice(3, 35);

const start = async (config: Partial<Parameters<typeof startTracing>[1]> = {}) => {
  const tracing = await startTracing('test', {
    otelExporterOtlpEndpoint: undefined,
    otelTracesSamplerArg: 1,
    ...config,
  });
  afterwards(() => tracing.stop());
  return tracing;
};

describe('without a collector', () => {
  test('work in a span continues the trace and passes on the id of its own span', async () => {
    await start();
    await inSpan('work', PARENT, async () => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      expect(traceIdNow()).toBe(TRACE);
      expect(traceparent()).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
      expect(traceparent()).not.toContain(PARENT.slice(36, 52));
    });
    expect(traceparent()).toBeUndefined();
  });

  test.each([
    undefined,
    '',
    'nonsense',
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `ff${PARENT.slice(2)}`,
    PARENT.toUpperCase(),
  ])('if the header is %p, a new trace begins', async (header) => {
    await start();
    const ids = await Promise.all([1, 2].map(() => inSpan('work', header, async () => traceIdNow())));
    expect(ids[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(ids[0]).not.toBe(ids[1]);
    expect(ids).not.toContain(TRACE);
  });

  test('a request keeps the trace of its header, also after its body and after awaits', async () => {
    await start();
    const app = express();
    app.use(traceRequests, express.json());
    app.post('/', async (_request, response) => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      response.json({ now: traceIdNow(), handled: response.locals.traceId });
    });
    const url = await serve(app);
    const ask = async (headers: Record<string, string>) =>
      (
        await fetch(url, {
          method: 'POST',
          body: '{"a":1}',
          headers: { 'Content-Type': 'application/json', ...headers },
        })
      ).json() as Promise<{ now: string; handled: string }>;
    expect(await ask({ traceparent: PARENT })).toEqual({ now: TRACE, handled: TRACE });
    const [one, two] = await Promise.all([ask({}), ask({})]);
    expect([one.now, two.now]).toEqual([one.handled, two.handled]);
    expect(one.now).not.toBe(two.now);
  });

  test("a click's trace is its id, and is not sampled", async () => {
    await start();
    const header = traceparentOfUuid('01900000-0000-7abc-8000-0123456789ab');
    expect(header).toBe('00-0190000000007abc80000123456789ab-80000123456789ab-00');
    expect(traceIdOf(header)).toBe('0190000000007abc80000123456789ab');
  });
});

interface SeenSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly status: { readonly code: number };
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
}
const spansIn = (body: string): SeenSpan[] => JSON.parse(body).resourceSpans[0].scopeSpans[0].spans;

describe('with a collector', () => {
  const collect = async (share: number, more: Partial<TracingConfig> = {}) => {
    const bodies: string[] = [];
    const headers: http.IncomingHttpHeaders[] = [];
    const endpoint = await serve(async (request, response) => {
      bodies.push(await text(request));
      headers.push(request.headers);
      response.setHeader('Content-Type', 'application/json').end('{}');
    });
    const tracing = await start({ otelExporterOtlpEndpoint: endpoint, otelTracesSamplerArg: share, ...more });
    return { tracing, headers, received: () => bodies.join('\n') };
  };
  const headersOf = (n: number) => ({ traceparent: traceparentOfUuid(uuid(n)) });
  const uuid = (n: number) => `01900000-0000-7000-8000-${(n * 2_654_435_761).toString(16).padStart(12, '0')}`;

  test('receives sampled spans, with the service name, before the process ends', async () => {
    const { tracing, received } = await collect(1);
    const click = traceparentOfUuid(uuid(1));
    expect(click.endsWith('-01')).toBe(true);
    recordSpans(
      'ship click',
      [click],
      (parent) => parent,
      () => Date.now() - 5,
      Date.now(),
      { operation: 'send', destination: 'clicks', begins: true },
    );
    await inSpan('work', PARENT, async () => undefined);
    await tracing.stop();
    expect(received()).toContain('"ship click"');
    // The span has the id that later spans of the click name as their parent, and no parent itself.
    const shipped = spansIn(received()).find(({ name }) => name === 'ship click')!;
    expect(`00-${shipped.traceId}-${shipped.spanId}-01`).toBe(click);
    expect(shipped.parentSpanId).toBeUndefined();
    expect(Object.fromEntries(shipped.attributes.map(({ key, value }) => [key, value.stringValue]))).toEqual({
      'messaging.system': 'kafka',
      'messaging.destination.name': 'clicks',
      'messaging.operation.name': 'send',
      'messaging.operation.type': 'send',
    });
    expect(received()).toContain(TRACE);
    expect(received()).toContain('"stringValue":"test"');
  });

  test('each event of a batch has a span, except those that were parked', async () => {
    const { tracing, received } = await collect(1);
    const deliveries = [1, 2].map((n) => ({
      event: {} as ClickEvent,
      message: { key: '', value: '', headers: headersOf(n) },
    }));
    const handle = inBatches<ClickEvent>('store click', CLICKS, async ([first], park) =>
      park(first!, new Error('too old')),
    );
    await handle(
      deliveries,
      () => undefined,
      () => undefined,
    );
    await tracing.stop();
    expect(received()).toContain('"store click"');
    expect(received()).not.toContain(traceIdOf(headersOf(1).traceparent));
    expect(received()).toContain(traceIdOf(headersOf(2).traceparent));
  });

  test("the ratio decides which traces are sampled, not the caller's flag", async () => {
    const { tracing, received } = await collect(0.1);
    const sampled = Array.from({ length: 1_000 }, (_, n) => traceparentOfUuid(uuid(n))).filter((one) =>
      one.endsWith('-01'),
    );
    expect(sampled.length).toBeGreaterThan(20);
    expect(sampled.length).toBeLessThan(300);
    const refused = Array.from({ length: 1_000 }, (_, n) => uuid(n)).find((id) =>
      traceparentOfUuid(id).endsWith('-00'),
    )!;
    await inSpan('forced', `00-${refused.replaceAll('-', '')}-00f067aa0ba902b7-01`, async () => undefined);
    await tracing.stop();
    expect(received()).not.toContain('forced');
  });

  test('no more than the ratio is sampled, even if a caller from outside chooses its trace ids', async () => {
    const { tracing, received } = await collect(0.2);
    const app = express();
    app.use(tracePublicRequests);
    app.get('/', (_request, response) => void response.json({ traceId: response.locals.traceId }));
    const url = await serve(app);
    const chosen = (n: number) => `${'0'.repeat(31 - String(n).length)}a${n}`;
    for (let n = 0; n < 200; n++) {
      const response = await fetch(url, { headers: { traceparent: `00-${chosen(n)}-00f067aa0ba902b7-01` } });
      expect(await response.json()).toEqual({ traceId: chosen(n) });
    }
    await tracing.stop();
    const sampled = Array.from({ length: 200 }, (_, n) => n).filter((n) => received().includes(chosen(n)));
    expect(sampled.length).toBeGreaterThan(10);
    expect(sampled.length).toBeLessThan(80);
  });

  test('receives the name, the attributes and the headers that the standard variables set', async () => {
    const { tracing, headers, received } = await collect(1, {
      otelServiceName: 'shortener',
      otelResourceAttributes: 'deployment.environment.name=production,team=a%20b',
      otelExporterOtlpHeaders: 'api-key=abc',
    });
    await inSpan('work', undefined, async () => undefined);
    await tracing.stop();
    for (const text of ['"shortener"', '"production"', '"a b"']) expect(received()).toContain(text);
    expect(headers[0]).toMatchObject({ 'api-key': 'abc' });
  });

  test('receives nothing when OpenTelemetry is disabled', async () => {
    const { tracing, received } = await collect(1, { otelSdkDisabled: 'true' });
    await inSpan('work', PARENT, async () => undefined);
    await tracing.stop();
    expect(received()).toBe('');
  });

  test('receives failures and calls of other systems', async () => {
    const { tracing, received } = await collect(1);
    const work = inSpan('work', PARENT, () =>
      inClientSpan('SELECT', { 'db.system.name': 'postgresql' }, async (add) => {
        add({ 'db.response.returned_rows': 7 });
        throw new RangeError('too slow');
      }),
    );
    await expect(work).rejects.toThrow('too slow');
    await inClientSpan('of no trace', {}, async () => undefined);
    const app = express();
    app.use(traceRequests);
    app.get('/fails', (_request, response) => void response.status(503).json({}));
    app.get('/refuses', (_request, response) => void response.status(404).json({}));
    const url = await serve(app);
    for (const path of ['/fails', '/refuses']) await fetch(`${url}${path}`);
    await tracing.stop();
    const spans = spansIn(received());
    const of = (name: string) => {
      const { kind, status, attributes } = spans.find((span) => span.name === name)!;
      return {
        kind,
        failed: status.code === 2,
        error: attributes.find(({ key }) => key === 'error.type')?.value.stringValue,
      };
    };
    expect(of('SELECT')).toEqual({ kind: 3, failed: true, error: 'RangeError' });
    expect(of('work')).toEqual({ kind: 1, failed: true, error: 'RangeError' });
    expect(of('GET /fails')).toEqual({ kind: 2, failed: true, error: '503' });
    expect(of('GET /refuses')).toEqual({ kind: 2, failed: false, error: undefined });
    const { attributes } = spans.find(({ name }) => name === 'GET /fails')!;
    expect(attributes.map(({ key }) => key)).toEqual(
      expect.arrayContaining(['http.request.method', 'url.scheme', 'url.path', 'http.response.status_code']),
    );
    expect(received()).toContain('db.response.returned_rows');
    expect(received()).not.toContain('of no trace');
  });

  test('work continues if the collector cannot be reached', async () => {
    const tracing = await start({ otelExporterOtlpEndpoint: 'http://127.0.0.1:9' });
    expect(await inSpan('work', undefined, async () => 1)).toBe(1);
    await tracing.stop();
  });
});
