import type { Admin, Kafka } from 'kafkajs';
import { settlesWithin } from './kafkajs.ts';

/** A connection for questions, made with the first one. After a failure a new one is made: kafkajs' may stay broken. */
export interface AdminConnection {
  ask<T>(question: (admin: Admin) => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

const STOP_WITHIN_MS = 1_000;

export function adminConnection(kafka: Kafka): AdminConnection {
  let current: { readonly admin: Admin; readonly connected: Promise<void> } | undefined;

  function open() {
    const admin = kafka.admin();
    return { admin, connected: admin.connect() };
  }

  return {
    async ask(question) {
      current ??= open();
      const mine = current;
      try {
        await mine.connected;
        return await question(mine.admin);
      } catch (error) {
        if (current === mine) current = undefined;
        void mine.admin.disconnect().catch(() => undefined);
        throw error;
      }
    },
    async stop() {
      if (current !== undefined) await settlesWithin(current.admin.disconnect(), STOP_WITHIN_MS);
      current = undefined;
    },
  };
}
