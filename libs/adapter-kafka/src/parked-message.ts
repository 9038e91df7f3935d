import type { BusMessage } from '@waypost/ports';

const PARKED_ERROR_MAX = 1_000;

/** As it came, with why and from where in its headers. */
export function parkedMessage(
  { key, value, headers }: BusMessage,
  group: string,
  error: Error,
  { partition, offset }: { partition: number; offset: string | undefined },
): BusMessage {
  const from = { group, partition: String(partition), ...(offset === undefined ? {} : { offset }) };
  return {
    // A message from elsewhere may come without a key, which no message of ours does.
    key: key === '' ? `${partition}` : key,
    value,
    headers: { ...headers, ...from, error: error.message.slice(0, PARKED_ERROR_MAX) },
  };
}
