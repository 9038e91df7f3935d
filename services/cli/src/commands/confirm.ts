import { Option } from '@commander-js/extra-typings';
import { Ended, type Session } from '../session.ts';

export const YES = () => new Option('--yes', 'Skip the confirmation, which is only shown on a terminal.');

/** Asks before an action that is irreversible or affects other people. Throws `Ended` unless the answer is yes. */
export async function confirmed(
  { ask, err }: Session['terminal'],
  yes: boolean | undefined,
  question: string,
  otherwise: string,
): Promise<void> {
  if (yes || ask === undefined) return;
  if (/^y(es)?$/i.test((await ask(`${question} [y/N] `)).trim())) return;
  err(`${otherwise}\n`);
  throw new Ended(1);
}
