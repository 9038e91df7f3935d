/** What may be tried a few times in 15 minutes. It is counted in the store, for all replicas together. */
import { DomainError } from '@waypost/domain';
import type { SignInAttempts } from '@waypost/ports';

interface Deps {
  readonly attempts: Pick<SignInAttempts, 'count'>;
  readonly now: () => Date;
}

/** Counts one more; `subject` is a hash of what they are counted by. Above `most` throws `too_many_attempts` with these words. */
export async function countAttempt(
  { attempts, now }: Deps,
  subject: Buffer,
  most: number,
  words: string,
): Promise<void> {
  const at = now();
  const counted = await attempts.count(subject, at);
  if (counted.attempts <= most) return;
  const retryAfterSeconds = Math.max(1, Math.ceil((counted.windowEnds.getTime() - at.getTime()) / 1000));
  throw new DomainError('too_many_attempts', words, { retryAfterSeconds });
}
