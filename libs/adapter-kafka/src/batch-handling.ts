/**
 * Handles a batch from Kafka in parts. It repeats the handler until it succeeds, sends heartbeats meanwhile, and then
 * commits. Parts limit what a handler gets at once, and what arrives again after a crash.
 */
import type { BusMessage } from '@waypost/ports';
import { backOffMs, isNoteworthy, rest } from '@waypost/resilience';
import { errorFields, type Logger } from '@waypost/telemetry';
import type { MessageHandler, ParkMessage } from '@waypost/typed-bus';
import type { EachBatchPayload, KafkaMessage } from 'kafkajs';
import { isLostMembership, isPassing } from './kafkajs.ts';

export interface BatchHandlingOptions {
  readonly topic: string;
  readonly group: string;
  readonly handler: MessageHandler;
  /** Publishes a message that no handler accepts to the parked topic. */
  readonly park: (
    message: BusMessage,
    error: Error,
    from: { partition: number; offset: string | undefined },
  ) => Promise<void>;
  readonly stopping: AbortSignal;
  readonly heartbeatIntervalMs: number;
  readonly backoffMs: { readonly first: number; readonly most: number };
  readonly mostAtOnce: number;
  /**
   * A handler that reports no progress for this long is stuck. Its consumer then stops its heartbeats
   * (docs/kafkajs-pitfalls.md, 12).
   */
  readonly handlerTimeoutMs: number;
  readonly onStuck: (error: Error) => void;
  /**
   * Called when a member's commit failed, as when its coordinator hangs. The consumer must be replaced, because it keeps
   * that coordinator (docs/kafkajs-pitfalls.md, 19).
   */
  readonly onNotCommitted: (error: unknown) => void;
  readonly onProgress: () => void;
  readonly logger: Logger;
}

export function batchHandling(options: BatchHandlingOptions): (payload: EachBatchPayload) => Promise<void> {
  const { topic, group, handler, logger, stopping, onProgress, backoffMs } = options;

  return async (payload) => {
    const { batch } = payload;
    const heartbeats = startHeartbeats(payload.heartbeat, options.heartbeatIntervalMs);
    try {
      for (let from = 0; from < batch.messages.length; from += options.mostAtOnce) {
        if (!(await handlePart(payload, batch.messages.slice(from, from + options.mostAtOnce), heartbeats))) break;
      }
    } finally {
      heartbeats.stop();
    }
    const lost = heartbeats.lost();
    if (lost !== undefined) throw lost; // kafkajs then joins the group again
  };

  /** Resolves to false if another member handles the partition now (docs/kafkajs-pitfalls.md, 11). */
  async function handlePart(
    payload: EachBatchPayload,
    part: readonly KafkaMessage[],
    heartbeats: Heartbeats,
  ): Promise<boolean> {
    const { resolveOffset, isRunning, isStale } = payload;
    const { partition } = payload.batch;
    const { offset: last } = part.at(-1)!;
    const offsets = new Map(part.map((message) => [busMessage(message), message.offset]));
    const messages = [...offsets.keys()];
    const park: ParkMessage = (message, error, from = message) =>
      options.park(message, error, { partition, offset: offsets.get(from) });

    for (let failures = 0; ; ) {
      if (!isRunning() || isStale() || heartbeats.lost() !== undefined) return false;
      onProgress();
      const isStuck = setTimeout(() => {
        heartbeats.stop();
        options.onStuck(new Error(`a handler of ${topic} in ${group} took over ${options.handlerTimeoutMs} ms`));
      }, options.handlerTimeoutMs);
      try {
        await handler(messages, park, () => {
          isStuck.refresh();
          onProgress();
        });
        resolveOffset(last);
        await commit(payload, last);
        return true;
      } catch (error) {
        failures += 1;
        if (isNoteworthy(failures)) {
          logger.warn('a batch could not be handled, will retry', {
            topic,
            group,
            partition,
            failures,
            ...errorFields(error),
          });
        }
      } finally {
        clearTimeout(isStuck);
        onProgress();
      }
      await rest(backOffMs(backoffMs, failures), stopping);
    }
  }

  /** After a failed commit the messages arrive again, which does no harm (docs/kafkajs-pitfalls.md, 11). */
  async function commit({ batch, commitOffsetsIfNecessary }: EachBatchPayload, lastOffset: string): Promise<void> {
    const offset = String(BigInt(lastOffset) + 1n); // the next offset to read (docs/kafkajs-pitfalls.md, 13)
    try {
      await commitOffsetsIfNecessary({
        topics: [{ topic: batch.topic, partitions: [{ partition: batch.partition, offset }] }],
      });
    } catch (error) {
      const isLost = isLostMembership(error);
      if (!isLost && isPassing(error)) options.onNotCommitted(error);
      const level = isLost ? 'debug' : 'warn';
      logger[level]('an offset was not committed', { topic, group, partition: batch.partition, ...errorFields(error) });
    }
  }
}

interface Heartbeats {
  /** Returns the error if other members of the group have taken over our partitions. */
  lost(): Error | undefined;
  stop(): void;
}

/**
 * kafkajs sends a heartbeat only when this code calls for it. A handler may run for longer than a session lasts
 * (docs/kafkajs-pitfalls.md, 12).
 */
function startHeartbeats(heartbeat: () => Promise<void>, intervalMs: number): Heartbeats {
  let lost: Error | undefined;
  let beating = false;
  const timer = setInterval(() => {
    if (beating || lost !== undefined) return;
    beating = true;
    heartbeat()
      .catch((error: unknown) => {
        // All other failures are problems of the connection. If one lasts, the session expires.
        if (isLostMembership(error)) lost = error as Error;
      })
      .finally(() => {
        beating = false;
      });
  }, intervalMs);
  return { lost: () => lost, stop: () => clearInterval(timer) };
}

function busMessage({ key, value, headers }: KafkaMessage): BusMessage {
  const message = { key: key?.toString() ?? '', value: value?.toString() ?? '' };
  const entries = Object.entries(headers ?? {}).map(([name, text]) => [
    name,
    String(Array.isArray(text) ? text[0] : text),
  ]);
  return entries.length === 0 ? message : { ...message, headers: Object.fromEntries(entries) };
}
