/** Limits attempts within 15 minutes. The store counts the attempts of all replicas together. */
import { DomainError } from '@waypost/domain';

export interface SignInAttempts {
  /** Counts one attempt exactly, over all replicas. Resolves to the number of attempts in the window, and its end. */
  count(subject: Buffer, now: Date): Promise<{ readonly attempts: number; readonly windowEnds: Date }>;
  clear(subject: Buffer): Promise<void>;
}

interface Deps {
  readonly attempts: Pick<SignInAttempts, 'count'>;
  readonly now: () => Date;
}

/**
 * Counts an attempt under `subject`, a hash, and resolves to the number of attempts. Above `most`, throws
 * `too_many_attempts` with the message `words`.
 */
export async function countAttempt(
  { attempts, now }: Deps,
  subject: Buffer,
  most: number,
  words: string,
): Promise<number> {
  const at = now();
  const window = await attempts.count(subject, at);
  if (window.attempts <= most) return window.attempts;
  const retryAfterSeconds = Math.max(1, Math.ceil((window.windowEnds.getTime() - at.getTime()) / 1000));
  throw new DomainError('too_many_attempts', words, { retryAfterSeconds });
}
