import type { IdempotencyStore } from '@waypost/ports';

interface Deps {
  readonly idempotency: Pick<IdempotencyStore, 'forget'>;
  readonly now: () => Date;
  readonly onLateError: (error: unknown) => void;
}

const EVERY_MS = 3_600_000;

/** Deletes, every hour, the stored answers whose Idempotency-Key has expired. */
export function forgetAnswers({ idempotency, now, onLateError }: Deps): { stop(): Promise<void> } {
  const timer = setInterval(() => void idempotency.forget(now()).catch(onLateError), EVERY_MS);
  return { stop: async () => clearInterval(timer) };
}
