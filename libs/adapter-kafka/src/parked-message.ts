import type { BusMessage } from '@waypost/ports';

const PARKED_ERROR_MAX = 1_000;

/** The original message, with the error and its origin in the headers. */
export function parkedMessage(
  { key, value, headers }: BusMessage,
  group: string,
  error: Error,
  { partition, offset }: { partition: number; offset: string | undefined },
): BusMessage {
  const from = { group, partition: String(partition), ...(offset === undefined ? {} : { offset }) };
  return {
    // A message from another producer may have no key; ours always do.
    key: key === '' ? `${partition}` : key,
    value,
    headers: { ...headers, ...from, error: error.message.slice(0, PARKED_ERROR_MAX) },
  };
}
