import type { TopicName } from '@waypost/domain';
import type { Bus, BusMessage } from '@waypost/ports';
import { type MessageBus, type MessageHandler, type ParkMessage, typedBus, type Warns } from '@waypost/typed-bus';

export interface InProcessBusOptions {
  /** Stores a dead-lettered message and its error where an operator finds them. */
  readonly park: (topic: TopicName, group: string, message: BusMessage, error: Error) => Promise<void>;
  /** The groups that every message must reach, even before they have subscribed: sources may start first. */
  readonly groups?: Readonly<Partial<Record<TopicName, readonly string[]>>>;
  readonly logger: Warns;
}

/**
 * The bus when all services share a process. It needs no store: its sources (outbox rows, click log) are durable and
 * keep a message until `publish` resolves, which means that every group has handled it. If a group fails or is absent
 * (not subscribed yet, or stopped), `publish` rejects, and all groups get the messages again with the source's next
 * attempt: at least once. Groups that need not be there come after those that must, so that they do not get again and
 * again what one of those refuses. A topic that neither has nor expects a group discards its messages, and so does a
 * group that left.
 */
export function inProcessBus({ park, groups: expected = {}, logger }: InProcessBusOptions): Bus {
  const topics = new Map<TopicName, Map<string, Group>>();

  const carrier: MessageBus = {
    publish: async (topic, messages) => {
      if (messages.length === 0) return;
      const subscribed = topics.get(topic);
      const absent = expected[topic]?.find((name) => !subscribed?.has(name));
      if (absent !== undefined) throw new Error(`group ${absent} of topic ${topic} is not there yet`);
      const { must = [], may = [] } = Object.groupBy(subscribed ?? [], ([name]) =>
        expected[topic]?.includes(name) ? 'must' : 'may',
      );
      // The first of them gets the messages at once, before it can be stopped.
      for (const groups of [must, may].filter(({ length }) => length > 0)) {
        const results = await Promise.allSettled(groups.map(([, group]) => group.deliver(messages)));
        const failed = results.find((result) => result.status === 'rejected');
        if (failed !== undefined) throw failed.reason;
      }
    },
    subscribe: async (topic, name, handler) => {
      const groups = topics.get(topic) ?? new Map<string, Group>();
      topics.set(topic, groups);
      const group = startGroup(`group ${name} of topic ${topic}`, handler, (message, error) =>
        park(topic, name, message, error),
      );
      groups.set(name, group);
      return {
        stop: ({ leaving } = { leaving: false }) => {
          if (leaving) groups.delete(name);
          return group.stop();
        },
        lag: async () => group.waiting,
      };
    },
  };
  return typedBus(carrier, logger);
}

interface Group {
  /** Messages that are not handled yet. */
  readonly waiting: number;
  deliver(messages: readonly BusMessage[]): Promise<void>;
  stop(): Promise<void>;
}

/** One handler at a time, in the order of publishing, like a partition. */
function startGroup(name: string, handler: MessageHandler, park: ParkMessage): Group {
  let last: Promise<unknown> = Promise.resolve();
  let stopped = false;
  let waiting = 0;
  const handle = async (messages: readonly BusMessage[]) => {
    if (stopped) throw new Error(`${name} has stopped`);
    await handler(messages, park, () => {});
  };
  return {
    get waiting() {
      return waiting;
    },
    deliver: (messages) => {
      waiting += messages.length;
      const delivery = last
        .then(() => handle(messages))
        .finally(() => {
          waiting -= messages.length;
        });
      last = delivery.catch(() => undefined);
      return delivery;
    },
    stop: async () => {
      stopped = true;
      await last;
    },
  };
}
