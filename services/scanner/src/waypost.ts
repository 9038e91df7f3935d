#!/usr/bin/env node
/** `waypost` in a container of this service. */
import { runInContainer } from '@waypost/operator/program';
import { scannerCommands } from './operator-commands.ts';

process.exitCode = await runInContainer(scannerCommands);
