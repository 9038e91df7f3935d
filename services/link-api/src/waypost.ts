#!/usr/bin/env node
/** `waypost` in a container of this service. */
import { runOperator } from '@waypost/cli/operator';
import { sendBy } from '@waypost/operator/client';
import { addCommands, containerClient } from '@waypost/operator/program';
import { linkApiCommands } from './operator-commands.ts';

const [first, ...rest] = process.argv.slice(2);
const api = containerClient(process.env);
process.exitCode = await runOperator(first === 'admin' ? rest : [], process.env, {
  api,
  addCommands: (admin) => addCommands(admin, linkApiCommands, sendBy(api)),
});
