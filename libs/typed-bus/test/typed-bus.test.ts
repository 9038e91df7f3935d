import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { CLICKS, type ClickEvent, LINKS, type LinkEvent, type Topic } from '@waypost/domain';
import type { BusHandler, BusMessage, Delivery } from '@waypost/ports';
import { inSpan, startTracing, traceIdOf, traceparent } from '@waypost/telemetry';
import { encoded, type MessageHandler, typedBus } from '../src/index.ts';

const TRACES = [1, 2, 3].map((n) => String(n).repeat(32));
const parentOf = (trace: string) => `00-${trace}-00f067aa0ba902b7-00`;
const event = (slug: string): LinkEvent => ({
  v: 1,
  type: 'link.created',
  slug,
  destination_url: 'https://example.com/',
  status: 'active',
  threat_type: null,
  version: 1,
  scan_generation: 'g1',
  at: '2026-11-21T12:00:00.000Z',
});
const garbled = (trace: string): BusMessage => ({ key: 'x', value: '{', headers: { traceparent: parentOf(trace) } });

let tracing: Awaited<ReturnType<typeof startTracing>>;
beforeEach(async () => {
  tracing = await startTracing('test', { otelExporterOtlpEndpoint: undefined, otelTracesSamplerArg: 1 });
});
afterEach(() => tracing.stop());

const open = (handler: BusHandler<LinkEvent> = async () => undefined) => openOn(LINKS, handler);

async function openOn<Event>(topic: Topic<Event>, handler: BusHandler<Event>) {
  const sent: BusMessage[] = [];
  const parked: { message: BusMessage; error: Error; from?: BusMessage | undefined }[] = [];
  const warnings: (readonly [message: string, fields: object])[] = [];
  let receive: MessageHandler = async () => undefined;
  const bus = typedBus(
    {
      publish: async (_topic, messages) => void sent.push(...messages),
      subscribe: async (_topic, _group, handle) => {
        receive = handle;
        return { stop: async () => undefined, lag: async () => 0 };
      },
    },
    { warn: (message, fields) => warnings.push([message, fields]) },
  );
  const subscription = await bus.subscribe(topic, 'test', handler);
  return {
    bus,
    sent,
    parked,
    warnings,
    subscription,
    receive: (...messages: BusMessage[]) =>
      receive(
        messages,
        async (message, error, from) => void parked.push({ message, error, from }),
        () => undefined,
      ),
  };
}

describe('published events', () => {
  test('have the key of their topic and the trace of their publisher', async () => {
    const { bus, sent } = await open();
    await inSpan('work', parentOf(TRACES[0]!), () => bus.publish(LINKS, [event('one'), event('two')]));
    expect(sent.map(({ key, value }) => [key, LINKS.decode(value)])).toEqual([
      ['one', event('one')],
      ['two', event('two')],
    ]);
    expect(sent.map(({ headers }) => traceIdOf(headers?.traceparent))).toEqual([TRACES[0], TRACES[0]]);
  });

  test('have no trace if published outside one, or the given trace', async () => {
    const { bus, sent } = await open();
    await bus.publish(LINKS, [event('one')]);
    expect(sent).toEqual([{ key: 'one', value: LINKS.encode(event('one')) }]);
    await inSpan('work', undefined, async () => {
      expect(encoded(LINKS, event('one')).headers).toEqual({ traceparent: traceparent() });
      expect(encoded(LINKS, event('one'), parentOf(TRACES[1]!)).headers).toEqual({ traceparent: parentOf(TRACES[1]!) });
    });
  });
});

describe('a handler', () => {
  test('that throws parks nothing and logs nothing', async () => {
    const { receive, parked, warnings, subscription } = await open(async (deliveries, park) => {
      park(deliveries[0]!, new Error('bad'));
      throw new Error('away');
    });
    await expect(receive(encoded(LINKS, event('one')), garbled(TRACES[0]!))).rejects.toThrow('away');
    expect([parked, warnings, subscription.parked()]).toEqual([[], [], 0]);
  });

  test('and its topic can both park messages, and the log has one line per batch with the trace ids', async () => {
    const { receive, parked, warnings, subscription } = await open(async (deliveries, park) => {
      for (const delivery of deliveries) if (delivery.event.slug === 'bad') park(delivery, new Error('too old'));
    });
    const messages = [
      garbled(TRACES[0]!),
      encoded(LINKS, event('good')),
      encoded(LINKS, event('bad'), parentOf(TRACES[1]!)),
    ];
    await receive(...messages);
    expect(parked.map(({ message, error }) => [message, error.message])).toEqual([
      [messages[0], 'not JSON'],
      [messages[2], 'too old'],
    ]);
    const facts = { topic: 'links', group: 'test', messages: 3, parked: 2, error: 'not JSON' };
    expect(warnings).toEqual([
      ['messages were rejected and parked', expect.objectContaining({ ...facts, trace_ids: TRACES.slice(0, 2) })],
    ]);
    expect(subscription.parked()).toBe(2);
  });

  test('is not called if no message can be decoded', async () => {
    const { receive, parked } = await open(() => Promise.reject(new Error('called')));
    await receive(garbled(TRACES[0]!));
    expect(parked.length).toBe(1);
  });
});

describe('a message with one event per line', () => {
  const click = (n: number): ClickEvent => ({
    v: 2,
    type: 'click.recorded',
    id: `01234567-89ab-7000-8000-00000000000${n}`,
    account_id: '0193a5d0-7c1e-4abc-8def-0123456789ab',
    slug: `slug${n}`,
    at: 1_795_255_200_000,
    visitor: '0123456789abcdef',
    country: 'DE',
    user_agent: '',
    referrer: '',
  });
  const lines = (...values: string[]): BusMessage => ({ key: click(1).id, value: values.join('\n') });
  const line = (n: number) => CLICKS.encode(click(n));

  test('reaches the handler as several events, each with its own key, line and trace', async () => {
    const seen: Delivery<ClickEvent>[] = [];
    const { receive } = await openOn(CLICKS, async (deliveries) => void seen.push(...deliveries));
    const alone = encoded(CLICKS, click(4), parentOf(TRACES[0]!));
    await receive(lines(line(1), line(2), line(3)), alone);
    expect(seen.map(({ event }) => event)).toEqual([1, 2, 3, 4].map(click));
    expect(seen.map(({ message: { key, value } }) => [key, value])).toEqual(
      [1, 2, 3, 4].map((n) => [click(n).id, line(n)]),
    );
    const traces = seen.map(({ message }) => traceIdOf(message.headers?.traceparent));
    expect(traces).toEqual([...[1, 2, 3].map((n) => `0123456789ab7000800000000000000${n}`), TRACES[0]]);
  });

  test('parks only the refused lines, together with their whole message', async () => {
    const { receive, parked, bus } = await openOn(CLICKS, async (deliveries, park) =>
      park(deliveries[1]!, new Error('no')),
    );
    const message = lines(line(1), '{', line(3));
    await receive(message);
    const headers = (n: number) => ({ traceparent: `00-0123456789ab7000800000000000000${n}-800000000000000${n}-00` });
    expect(parked).toEqual([
      { message: { key: click(1).id, value: '{', headers: headers(1) }, error: new Error('not JSON'), from: message },
      { message: { key: click(3).id, value: line(3), headers: headers(3) }, error: new Error('no'), from: message },
    ]);
    expect(bus.consumers()[0]).toMatchObject({ handled: 1, parked: 2 });
  });

  test('is unreadable if its topic allows only one event per message', async () => {
    const { receive, parked } = await open();
    await receive({ key: 'k', value: `${JSON.stringify(event('one'))}\n${JSON.stringify(event('two'))}` });
    expect(parked.length).toBe(1);
  });
});
