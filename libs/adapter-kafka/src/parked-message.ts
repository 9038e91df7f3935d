import type { BusMessage } from '@waypost/ports';

const PARKED_ERROR_MAX = 1_000;

export function parkedMessage(
  { key, value, headers }: BusMessage,
  group: string,
  error: Error,
  { partition, offset }: { partition: number; offset: string | undefined },
): BusMessage {
  const from = { group, partition: String(partition), ...(offset === undefined ? {} : { offset }) };
  return {
    // Our messages always have a key, but a message from another producer may have none.
    key: key === '' ? `${partition}` : key,
    value,
    headers: { ...headers, ...from, error: error.message.slice(0, PARKED_ERROR_MAX) },
  };
}
