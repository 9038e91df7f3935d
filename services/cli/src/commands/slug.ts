import { UsageError } from '@waypost/command-line';

export function slugOf(argument: string): string {
  if (!/^[A-Za-z0-9_-]+$/.test(argument)) {
    throw new UsageError('A slug is what follows the last "/" of a short URL: letters, digits, "_" and "-".');
  }
  return argument;
}
