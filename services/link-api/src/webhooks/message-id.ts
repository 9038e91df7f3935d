import { UUID } from './checks.ts';

/** Returns the header `webhook-id`, which is the same for all attempts and replays. */
export const messageId = (deliveryId: string): string => `msg_${deliveryId}`;

/** Callers use the value of `webhook-id` as the id of a delivery. */
export function deliveryId(text: string): string | undefined {
  const id = text.slice(messageId('').length);
  return text === messageId(id) && UUID.test(id) ? id : undefined;
}
