import type { Topic } from '@waypost/domain';
import type { Bus, BusHandler, BusMessage, Park } from '@waypost/ports';

export interface InProcessBusOptions {
  /** Keeps a parked message and its error where a person will find it. */
  readonly park: (topic: Topic, group: string, message: BusMessage, error: Error) => Promise<void>;
}

/**
 * The bus when all services share a process. It needs no store of its own: its sources (outbox rows, click log) are
 * durable and hold a message until `publish` resolves, which is when every group has handled it. If one group fails,
 * `publish` rejects, and with the source's next attempt all groups get the messages again: at least once.
 */
export function inProcessBus({ park }: InProcessBusOptions): Bus {
  const groups = new Map<Topic, Set<Group>>();

  return {
    publish: async (topic, messages) => {
      if (messages.length === 0) return;
      const results = await Promise.allSettled([...(groups.get(topic) ?? [])].map((group) => group.deliver(messages)));
      const failed = results.find((result) => result.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    },
    subscribe: async (topic, name, handler) => {
      const parkIn: Park = (message, error) => park(topic, name, message, error);
      const group = startGroup(handler, parkIn);
      const ofTopic = groups.get(topic) ?? new Set();
      groups.set(topic, ofTopic.add(group));
      return {
        stop: async () => {
          ofTopic.delete(group);
          await group.idle();
        },
      };
    },
  };
}

interface Group {
  deliver(messages: readonly BusMessage[]): Promise<void>;
  idle(): Promise<void>;
}

/** One handler at a time, in the order of publishing, as a partition would have it. */
function startGroup(handler: BusHandler, park: Park): Group {
  let last: Promise<unknown> = Promise.resolve();
  return {
    deliver: (messages) => {
      const mine = last.then(() => handler(messages, park));
      last = mine.catch(() => undefined);
      return mine;
    },
    idle: async () => {
      await last;
    },
  };
}
