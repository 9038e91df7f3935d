#!/usr/bin/env node
import { runInContainer } from '@waypost/process/operator';
import { linkApiCommands } from './operator-commands.ts';

process.exitCode = await runInContainer(linkApiCommands);
