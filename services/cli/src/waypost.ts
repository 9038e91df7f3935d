#!/usr/bin/env node
import { runClient } from './run-client.ts';

process.exitCode = await runClient(process.argv.slice(2), process.env);
