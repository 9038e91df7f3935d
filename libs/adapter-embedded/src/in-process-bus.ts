import type { TopicName } from '@waypost/domain';
import type { Bus, BusMessage } from '@waypost/ports';
import { type MessageBus, type MessageHandler, type ParkMessage, typedBus, type Warns } from '@waypost/typed-bus';

export interface InProcessBusOptions {
  /** Stores a message that its group cannot handle, with the error, where an operator can read them. */
  readonly park: (topic: TopicName, group: string, message: BusMessage, error: Error) => Promise<void>;
  /**
   * Every message must reach these groups, even before they subscribe, because publishers may start first. For a topic
   * that is not listed, every group is required.
   */
  readonly groups?: Readonly<Partial<Record<TopicName, readonly string[]>>>;
  readonly logger: Warns;
}

/**
 * The bus when all services share a process. It stores nothing: its sources (outbox rows, click log) keep a message
 * until `publish` resolves, after every group has handled it. If a group fails or does not run, `publish` rejects. The
 * source then sends the messages again, to all groups.
 *
 * A group that is not required gets messages after the required ones have handled them. Nobody waits for it: it misses
 * what comes while it is busy, and messages that it fails to handle.
 */
export function inProcessBus({ park, groups: expected = {}, logger }: InProcessBusOptions): Bus {
  const topics = new Map<TopicName, Map<string, Group>>();

  const carrier: MessageBus = {
    publish: async (topic, messages) => {
      if (messages.length === 0) return;
      const subscribed = topics.get(topic);
      const absent = expected[topic]?.find((name) => !subscribed?.has(name));
      if (absent !== undefined) throw new Error(`group ${absent} of topic ${topic} does not exist yet`);
      const { must = [], may = [] } = Object.groupBy(subscribed?.entries() ?? [], ([name]) =>
        (expected[topic]?.includes(name) ?? true) ? 'must' : 'may',
      );
      // The required groups get the messages now, before one of them can be stopped.
      const results = await Promise.allSettled(must.map(([, group]) => group.deliver(messages)));
      const failed = results.find((result) => result.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
      for (const [name, group] of may) {
        if (group.waiting > 0) continue;
        group
          .deliver(messages)
          .catch((error) => logger.warn('messages were missed', { topic, group: name, error: String(error) }));
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
        stop: group.stop,
        lag: async () => group.waiting,
      };
    },
  };
  return typedBus(carrier, logger);
}

type Group = ReturnType<typeof startGroup>;

/** Runs one handler at a time, in the order of publishing, as a partition of Kafka does. */
function startGroup(name: string, handler: MessageHandler, park: ParkMessage) {
  let last: Promise<unknown> = Promise.resolve();
  let stopped = false;
  let waiting = 0;
  const handle = async (messages: readonly BusMessage[]) => {
    if (stopped) throw new Error(`${name} has stopped`);
    await handler(messages, park, () => {});
  };
  return {
    get waiting(): number {
      return waiting;
    },
    deliver: (messages: readonly BusMessage[]): Promise<void> => {
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
