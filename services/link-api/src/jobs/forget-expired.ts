import type { IdempotencyStore, Sessions } from '@waypost/ports';

interface Deps {
  readonly idempotency: Pick<IdempotencyStore, 'forget'>;
  readonly sessions: Pick<Sessions, 'forget'>;
  readonly now: () => Date;
  readonly onLateError: (error: unknown) => void;
}

const EVERY_MS = 3_600_000;

/** Drops, every hour, what has run out: the kept answers of an Idempotency-Key, sessions, attempts to sign in. */
export function forgetExpired({ idempotency, sessions, now, onLateError }: Deps): { stop(): Promise<void> } {
  const timer = setInterval(() => {
    for (const store of [idempotency, sessions]) void store.forget(now()).catch(onLateError);
  }, EVERY_MS);
  return { stop: async () => clearInterval(timer) };
}
