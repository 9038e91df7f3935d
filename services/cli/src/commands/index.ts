import type { Command } from '@commander-js/extra-typings';
import { emptyProgram } from '../program.ts';
import type { Session } from '../session.ts';
import { addAnalytics } from './analytics.ts';
import { addBulk } from './bulk.ts';
import { addCreate } from './create.ts';
import { addGet } from './get.ts';
import { addList } from './list.ts';
import { addRevoke } from './revoke.ts';

export function makeProgram(session: Session): Command {
  const program = emptyProgram(session);
  for (const add of [addCreate, addBulk, addList, addGet, addRevoke, addAnalytics]) add(program, session);
  return program;
}
