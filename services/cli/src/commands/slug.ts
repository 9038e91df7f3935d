import { UsageError } from '@waypost/command-line';
import { isName } from '@waypost/sdk/paths';

export function slugOf(argument: string): string {
  if (!isName(argument))
    throw new UsageError('A slug is what follows the last "/" of a short URL: letters, digits, "_" and "-".');
  return argument;
}
