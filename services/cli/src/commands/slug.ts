import { UsageError } from '@waypost/command-line';
import { isName } from '@waypost/sdk/paths';

export function slugOf(argument: string): string {
  if (!isName(argument))
    throw new UsageError(
      'This is not a slug. A slug is the part of a short URL after the last "/": letters, digits, "_" and "-".',
    );
  return argument;
}
