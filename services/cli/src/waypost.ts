#!/usr/bin/env node
/** The program that is published as `waypost`. In a clone it is `npm run -s waypost --`, with all operator commands. */
import { runClient } from './run-client.ts';

process.exitCode = await runClient(process.argv.slice(2), process.env);
