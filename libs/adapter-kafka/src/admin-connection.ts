import type { Admin, Kafka } from 'kafkajs';
import { settlesWithin } from './kafkajs.ts';

export type AdminConnection = ReturnType<typeof adminConnection>;

const STOP_WITHIN_MS = 1_000;

/**
 * An admin connection that opens on the first request. It is replaced after a failure, because a kafkajs admin may stay
 * broken.
 */
export function adminConnection(kafka: Kafka) {
  let current: { readonly admin: Admin; readonly connected: Promise<void> } | undefined;

  function open() {
    const admin = kafka.admin();
    return { admin, connected: admin.connect() };
  }

  return {
    async ask<T>(question: (admin: Admin) => Promise<T>): Promise<T> {
      current ??= open();
      const opened = current;
      try {
        await opened.connected;
        return await question(opened.admin);
      } catch (error) {
        if (current === opened) current = undefined;
        void opened.admin.disconnect().catch(() => undefined);
        throw error;
      }
    },
    async stop(): Promise<void> {
      if (current !== undefined) await settlesWithin(current.admin.disconnect(), STOP_WITHIN_MS);
      current = undefined;
    },
  };
}
