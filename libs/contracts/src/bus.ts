import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  CLICKS,
  type ClickEvent,
  created,
  LINKS,
  TOPICS,
  type Topic,
  type TopicName,
  VERDICTS,
  type VerdictEvent,
} from '@waypost/domain';
import type { Bus, BusMessage, Delivery, Subscription } from '@waypost/ports';
import { pause, until } from '@waypost/test-support';
import { TEXTS, UNREADABLE } from './texts.ts';
import { unique } from './unique.ts';

export interface BusUnderTest {
  readonly bus: Bus;
  /** Resolves to all messages that were dead-lettered from the topic. */
  parked(topic: TopicName): Promise<readonly (BusMessage & { readonly error: string })[]>;
  close(): Promise<void>;
}

/**
 * Tests what `Bus` promises. A rejected `publish` is retried until it succeeds, as all our sources do. `Bus` does not
 * promise that a message is handled when `publish` resolves, or that a handler gets it only once. It does not promise
 * that several messages share a batch.
 */
export function busContract(name: string, open: () => Promise<BusUnderTest>): void {
  describe(`Bus: ${name}`, () => {
    let current: BusUnderTest;
    const subscriptions: Subscription[] = [];
    // Each test opens a new bus, because a stopped group may block the sources of its messages.
    beforeEach(async () => {
      current = await open();
    });
    afterEach(async () => {
      await Promise.all(subscriptions.splice(0).map((subscription) => subscription.stop()));
      await current.close();
    });

    async function publish(messages: readonly BusMessage[], topic = TEXTS.links): Promise<void> {
      for (;;) {
        try {
          return await current.bus.publishEncoded(topic, messages);
        } catch {
          await pause(5);
        }
      }
    }

    async function publishEach(key: string, values: readonly string[]): Promise<void> {
      for (const value of values) await publish([{ key, value }]);
    }

    type Handler = (messages: readonly BusMessage[], park: (index: number, error: Error) => void) => Promise<void>;

    /** Other tests use the same topics, so `handler` gets only the messages of this test. */
    async function subscribe(stem: string, group: string, handler: Handler, topic = TEXTS.links) {
      const subscription = await current.bus.subscribe(topic, group, async (deliveries, park) => {
        const own = deliveries.filter(({ message }) => message.key.startsWith(stem));
        if (own.length > 0)
          await handler(
            own.map(({ message }) => message),
            (i, error) => park(own[i]!, error),
          );
      });
      subscriptions.push(subscription);
      return subscription;
    }

    async function listener(stem: string, topic = TEXTS.links, group = unique('group')) {
      const seen: BusMessage[] = [];
      const subscription = await subscribe(stem, group, async (messages) => void seen.push(...messages), topic);
      return { seen, group, parked: subscription.parked, stop: () => subscription.stop() };
    }

    /** Waits until the message is dead-lettered, and checks that every copy is unchanged and has this error. */
    async function expectParked(message: BusMessage, error: string): Promise<void> {
      const parked = async () => (await current.parked(TOPICS.links)).filter(({ key }) => key === message.key);
      await until(async () => (await parked()).length > 0);
      for (const one of await parked()) expect(one).toMatchObject({ ...message, error });
    }

    const valuesOf = (seen: readonly BusMessage[], key: string) =>
      seen.filter((message) => message.key === key).map(({ value }) => value);
    const once = (values: readonly string[]) => [...new Set(values)];
    const numbers = (count: number) => Array.from({ length: count }, (_, i) => `${i}`);

    test('brings every message to every group, with its key and text unchanged', async () => {
      const stem = unique('all');
      const [one, two] = [await listener(stem), await listener(stem)];
      const texts = ['{"a":1}', '', 'ünï 👍 \u0000\n', '"'.repeat(100_000)];
      await publish(texts.map((value, i) => ({ key: `${stem}-${i} ü`, value })));
      for (const { seen } of [one, two]) {
        await until(() => texts.every((_, i) => valuesOf(seen, `${stem}-${i} ü`).length > 0));
        for (const [i, value] of texts.entries()) expect(once(valuesOf(seen, `${stem}-${i} ü`))).toEqual([value]);
      }
    });

    test('brings events of every topic unchanged, each under its key', async () => {
      const slug = unique('event');
      const link = created(
        {
          slug,
          ownerId: 'o',
          destinationUrl: 'https://example.com/ü',
          tags: [],
          threatType: null,
          scanGeneration: 'g',
        },
        new Date(1),
      ).event;
      const { v, destination_url, at } = link;
      const reasons = [{ rule: 'feed:x', evidence: 'y' }];
      const finding = { v, slug, destination_url, threat_type: 'scam', reasons, generation: 'g2', at } as const;
      const verdict: VerdictEvent = { ...finding, type: 'threat.found' };
      const id = `01900000-0000-7000-8000-${randomBytes(6).toString('hex')}`;
      const click: ClickEvent = {
        v: 2,
        type: 'click.recorded',
        id,
        account_id: randomUUID(),
        slug,
        at: 1,
        visitor: '0'.repeat(16),
        country: 'DE',
        user_agent: '"\\\n😀',
        referrer: '',
      };
      await Promise.all([arrives(LINKS, link), arrives(VERDICTS, verdict), arrives(CLICKS, click)]);
    });

    async function arrives<Event>(topic: Topic<Event>, event: Event): Promise<void> {
      const seen: Delivery<Event>[] = [];
      const key = topic.key(event);
      const subscription = await current.bus.subscribe(topic, unique('group'), async (deliveries) => {
        seen.push(...deliveries.filter(({ message }) => message.key === key));
      });
      subscriptions.push(subscription);
      await current.bus.publish(topic, [event]);
      await until(() => seen.length > 0);
      expect(seen[0]!.event).toEqual(event);
    }

    test('keeps topics apart', async () => {
      const stem = unique('topics');
      const topics = Object.values(TEXTS);
      const listeners = await Promise.all(topics.map((topic) => listener(stem, topic)));
      for (const topic of topics) await publish([{ key: stem, value: topic.name }], topic);
      for (const [i, { seen }] of listeners.entries()) {
        await until(() => seen.length > 0);
        await pause(10);
        expect(once(valuesOf(seen, stem))).toEqual([topics[i]!.name]);
      }
    });

    test('calls no handler for an empty list', async () => {
      const stem = unique('empty');
      const { seen } = await listener(stem);
      await expect(current.bus.publishEncoded(TEXTS.links, [])).resolves.toBeUndefined();
      await publish([{ key: stem, value: 'x' }]);
      await until(() => seen.length > 0);
      expect(once(valuesOf(seen, stem))).toEqual(['x']);
    });

    test('keeps the order of each key, within one publish and from one publish to the next', async () => {
      const stem = unique('order');
      const { seen } = await listener(stem);
      const keys = ['a', 'b', 'c'].map((letter) => `${stem}-${letter}`);
      await publish(numbers(100).flatMap((value) => keys.map((key) => ({ key, value }))));
      for (const key of keys) await publishEach(key, ['100', '101', '102']);
      for (const key of keys) {
        await until(() => valuesOf(seen, key).includes('102'));
        expect(once(valuesOf(seen, key))).toEqual(numbers(103));
      }
    });

    test('serves twenty concurrent publishers, each in its order', async () => {
      const stem = unique('twenty');
      const [one, two] = [await listener(stem), await listener(stem)];
      const keys = numbers(20).map((i) => `${stem}-${i}`);
      await Promise.all(keys.map((key) => publishEach(key, numbers(15))));
      for (const { seen } of [one, two]) {
        for (const key of keys) {
          await until(() => valuesOf(seen, key).includes('14'));
          expect(once(valuesOf(seen, key))).toEqual(numbers(15));
        }
      }
    });

    test('never runs two handlers of a group on one key', async () => {
      const stem = unique('alone');
      const busy = new Set<string>();
      const overlaps: string[] = [];
      const seen: BusMessage[] = [];
      await subscribe(stem, unique('group'), async (messages) => {
        const keys = new Set(messages.map(({ key }) => key));
        for (const key of keys) if (busy.has(key)) overlaps.push(key);
        for (const key of keys) busy.add(key);
        await pause(1);
        for (const key of keys) busy.delete(key);
        seen.push(...messages);
      });
      const keys = [`${stem}-a`, `${stem}-b`];
      await Promise.all(keys.flatMap((key) => numbers(10).map((value) => publish([{ key, value }]))));
      for (const key of keys) await until(() => once(valuesOf(seen, key)).length === 10);
      expect(overlaps).toEqual([]);
    });

    test('gives a handler that throws the same messages again, before any later one of their key', async () => {
      const stem = unique('again');
      const attempts: string[] = [];
      const handled: BusMessage[] = [];
      await subscribe(stem, unique('group'), async (messages) => {
        for (const message of messages) {
          attempts.push(message.value);
          if (message.value === '1' && attempts.filter((value) => value === '1').length <= 3) {
            throw new Error('the sink is away');
          }
          handled.push(message);
        }
      });
      await publish(numbers(3).map((value) => ({ key: stem, value })));
      await publishEach(stem, ['3', '4']);
      await until(() => valuesOf(handled, stem).includes('4'));
      expect(once(valuesOf(handled, stem))).toEqual(numbers(5));
      expect(attempts.filter((value) => value === '1').length).toBeGreaterThanOrEqual(4);
    });

    test('delivers to other groups while one group fails', async () => {
      const stem = unique('independent');
      let isAway = true;
      const late: BusMessage[] = [];
      await subscribe(stem, unique('group'), async (messages) => {
        if (isAway) throw new Error('away');
        late.push(...messages);
      });
      const { seen } = await listener(stem);
      const publishing = publishEach(stem, numbers(5));
      await until(() => valuesOf(seen, stem).includes('0'));
      expect(late).toEqual([]);
      isAway = false;
      await publishing;
      await until(() => valuesOf(seen, stem).includes('4') && valuesOf(late, stem).includes('4'));
      expect(once(valuesOf(seen, stem))).toEqual(numbers(5));
      expect(once(valuesOf(late, stem))).toEqual(numbers(5));
    });

    test('delivers messages of other publishers to other groups while one group hangs', async () => {
      const stem = unique('hanging');
      const { promise: hanging, resolve: goOn } = Promise.withResolvers<void>();
      await subscribe(stem, unique('group'), () => hanging);
      const { seen } = await listener(stem);
      const publishing = [publish([{ key: `${stem}-a`, value: '1' }]), publish([{ key: `${stem}-b`, value: '2' }])];
      await until(() => once(seen.map(({ value }) => value)).length === 2);
      goOn();
      await Promise.all(publishing);
    });

    test('dead-letters a parked message with its error, and continues with the others', async () => {
      const stem = unique('parked');
      const handled: BusMessage[] = [];
      await subscribe(stem, unique('group'), async (messages, park) => {
        for (const [i, message] of messages.entries()) {
          if (message.value === 'bad') park(i, new Error('cannot be understood'));
          else handled.push(message);
        }
      });
      await publish(['1', 'bad', '2'].map((value) => ({ key: stem, value })));
      await publishEach(stem, ['3']);
      await until(() => valuesOf(handled, stem).includes('3'));
      expect(once(valuesOf(handled, stem))).toEqual(['1', '2', '3']);
      await expectParked({ key: stem, value: 'bad' }, 'cannot be understood');
    });

    test('parks messages that the topic cannot decode, unchanged, and delivers the others', async () => {
      const stem = unique('unreadable');
      const { seen, parked } = await listener(stem);
      await publish(['1', UNREADABLE, '2'].map((value) => ({ key: stem, value })));
      await until(() => valuesOf(seen, stem).includes('2'));
      expect(once(valuesOf(seen, stem))).toEqual(['1', '2']);
      await expectParked({ key: stem, value: UNREADABLE }, 'cannot be read');
      await until(() => parked() > 0);
    });

    test('reports how many messages a group has handled, and how many wait for it', async () => {
      const stem = unique('lag');
      const group = unique('group');
      const { promise: handling, resolve: letGo } = Promise.withResolvers<void>();
      const { stop } = await subscribe(stem, group, () => handling);
      const consumer = () => current.bus.consumers().find((one) => one.group === group);
      const lag = () => consumer()!.lag();
      const published = publish(numbers(3).map((value) => ({ key: stem, value })));
      await until(async () => (await lag()) >= 3);
      letGo();
      await published;
      await until(async () => (await lag()) === 0);
      expect(consumer()).toMatchObject({ topic: TOPICS.links });
      expect(consumer()!.handled).toBeGreaterThanOrEqual(3);
      await stop();
      expect(consumer()).toBeUndefined();
    });

    test('stop waits for the running handler, and no other one starts', async () => {
      const stem = unique('stop');
      const started: string[] = [];
      let finished = 0;
      const subscription = await subscribe(stem, unique('group'), async (messages) => {
        started.push(...messages.map(({ value }) => value));
        await pause(50);
        finished = started.length;
      });
      const stuck = current.bus.publishEncoded(TEXTS.links, [{ key: stem, value: '0' }]);
      const later = numbers(5).map((i) =>
        current.bus.publishEncoded(TEXTS.links, [{ key: stem, value: `later ${i}` }]),
      );
      await until(() => started.length > 0);
      await subscription.stop();
      expect(finished).toBe(started.length);
      const before = [...started];
      later.push(current.bus.publishEncoded(TEXTS.links, [{ key: stem, value: 'last' }]));
      await Promise.allSettled([stuck, ...later]);
      await pause(60);
      expect(started).toEqual(before);
    });

    test('stopping one group leaves the others running', async () => {
      const stem = unique('others');
      const [gone, here] = [await listener(stem), await listener(stem)];
      await publishEach(stem, ['0']);
      await until(() => gone.seen.length > 0 && here.seen.length > 0);
      await gone.stop();
      const publishing = publishEach(stem, ['1']);
      await until(() => valuesOf(here.seen, stem).includes('1'));
      expect(once(valuesOf(gone.seen, stem))).toEqual(['0']);
      await listener(stem, TEXTS.links, gone.group);
      await publishing;
    });

    test('a group that returns gets the messages published meanwhile, in order', async () => {
      const stem = unique('back');
      const first = await listener(stem);
      await publishEach(stem, ['0', '1']);
      await until(() => valuesOf(first.seen, stem).includes('1'));
      await first.stop();
      const publishing = publishEach(stem, ['2', '3', '4']);
      await pause(30);
      const second = await listener(stem, TEXTS.links, first.group);
      await publishing;
      await until(() => valuesOf(second.seen, stem).includes('4'));
      expect(once([...valuesOf(first.seen, stem), ...valuesOf(second.seen, stem)])).toEqual(numbers(5));
    });

    test('a group that stopped while it failed gets the same messages when it returns', async () => {
      const stem = unique('unfinished');
      const group = unique('group');
      let attempts = 0;
      const failing = await subscribe(stem, group, async () => {
        attempts++;
        throw new Error('away');
      });
      const publishing = publishEach(stem, ['0', '1']);
      await until(() => attempts > 0);
      await failing.stop();
      const { seen } = await listener(stem, TEXTS.links, group);
      await publishing;
      await until(() => valuesOf(seen, stem).includes('1'));
      expect(once(valuesOf(seen, stem))).toEqual(['0', '1']);
    });
  });
}
