import { expect, test } from '@jest/globals';
import { type BusUnderTest, busContract } from '@waypost/contracts';
import { into, TEXTS } from '@waypost/contracts/texts';
import { until } from '@waypost/test-support';
import { inProcessBus } from '../src/in-process-bus.ts';

const logger = { warn: () => undefined };
async function open(): Promise<BusUnderTest> {
  const parked: { topic: string; key: string; value: string; error: string }[] = [];
  const bus = inProcessBus({
    park: async (topic, _group, message, { message: error }) => {
      parked.push({ topic, ...message, error });
    },
    logger,
  });
  return {
    bus,
    parked: async (topic) => parked.filter((message) => message.topic === topic),
    close: async () => undefined,
  };
}

busContract('in process', open);

test('a publish on the in-process bus resolves only after every group has handled the messages', async () => {
  const { bus } = await open();
  const done: string[] = [];
  for (const group of ['a', 'b']) {
    await bus.subscribe(TEXTS.clicks, group, async () => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      done.push(group);
    });
  }
  await bus.publishEncoded(TEXTS.clicks, [{ key: 'k', value: 'v' }]);
  expect(done.toSorted()).toEqual(['a', 'b']);
});

test('a publish on the in-process bus rejects with the error of a group, and the source sends it again', async () => {
  const { bus } = await open();
  await bus.subscribe(TEXTS.clicks, 'a', async () => {
    throw new Error('the sink is away');
  });
  await expect(bus.publishEncoded(TEXTS.clicks, [{ key: 'k', value: 'v' }])).rejects.toThrow('the sink is away');
});

test('a publish on the in-process bus rejects while a subscribed group is stopped', async () => {
  const { bus } = await open();
  const subscription = await bus.subscribe(TEXTS.clicks, 'a', async () => undefined);
  await subscription.stop();
  await expect(bus.publishEncoded(TEXTS.clicks, [{ key: 'k', value: 'v' }])).rejects.toThrow('has stopped');
});

test('a publish rejects when its message cannot be parked, so the message is not lost', async () => {
  const bus = inProcessBus({
    park: async () => {
      throw new Error('the disk is full');
    },
    logger,
  });
  await bus.subscribe(TEXTS.clicks, 'a', async ([delivery], park) => park(delivery!, new Error('unreadable')));
  await expect(bus.publishEncoded(TEXTS.clicks, [{ key: 'k', value: 'v' }])).rejects.toThrow('the disk is full');
});

test('a publish rejects as long as a required group has not subscribed', async () => {
  const bus = inProcessBus({ park: async () => undefined, groups: { links: ['scanner'] }, logger });
  await expect(bus.publishEncoded(TEXTS.links, [{ key: 'k', value: 'early' }])).rejects.toThrow('does not exist yet');
  const seen: string[] = [];
  await bus.subscribe(TEXTS.links, 'scanner', into(seen));
  await bus.publishEncoded(TEXTS.links, [{ key: 'k', value: 'late' }]);
  expect(seen).toEqual(['late']);
});

test('a group that is not required gets messages only after the required groups', async () => {
  const bus = inProcessBus({ park: async () => {}, groups: { clicks: ['must'] }, logger });
  let isAway = true;
  const seen: string[] = [];
  await bus.subscribe(TEXTS.clicks, 'may', async () => void seen.push('may'));
  await bus.subscribe(TEXTS.clicks, 'must', async () => {
    if (isAway) throw new Error('the sink is away');
    seen.push('must');
  });
  const publish = () => bus.publishEncoded(TEXTS.clicks, [{ key: 'k', value: 'v' }]);
  for (let i = 0; i < 3; i++) await expect(publish()).rejects.toThrow('the sink is away');
  expect(seen).toEqual([]);
  isAway = false;
  await publish();
  await until(() => seen.length === 2);
  expect(seen).toEqual(['must', 'may']);
});

test('a group that is not required neither refuses nor delays a publish, and keeps nothing while it hangs', async () => {
  const bus = inProcessBus({ park: async () => {}, groups: { clicks: ['must'] }, logger });
  const seen: string[] = [];
  await bus.subscribe(TEXTS.clicks, 'must', into(seen));
  await bus.subscribe(TEXTS.clicks, 'fails', async () => {
    throw new Error('no room');
  });
  await bus.subscribe(TEXTS.clicks, 'hangs', () => new Promise(() => {}));
  const values = Array.from({ length: 20 }, (_, i) => `${i}`);
  for (const value of values) await bus.publishEncoded(TEXTS.clicks, [{ key: 'k', value }]);
  expect(seen).toEqual(values);
  const lags = bus.consumers().map(async ({ group, lag }) => [group, await lag()]);
  expect(Object.fromEntries(await Promise.all(lags))).toMatchObject({ must: 0, hangs: 1 });
});
