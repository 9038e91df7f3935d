import { DomainError } from '@waypost/domain';

export const NAME_MAX = 100;

export function nameProblem(text: string): string | undefined {
  const name = text.trim();
  const isName = name !== '' && [...text.slice(0, 2 * NAME_MAX + 1)].length <= NAME_MAX && !/\p{Cc}/u.test(name);
  return isName ? undefined : `must have 1 to ${NAME_MAX} characters, without control characters`;
}

export function invalid(details: Record<string, string>): DomainError {
  const words = Object.entries(details).map(([field, problem]) => `${field} ${problem}`);
  return new DomainError('validation_failed', `${words.join('; ')}.`, { details });
}
