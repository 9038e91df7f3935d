#!/usr/bin/env node
/**
 * `npm run -s waypost -- …`: the command-line client of the REST API. Its `admin` is the operator commands, which need
 * no key, unless an address or a login says that it is to go over the API.
 */
import { runClient } from '@waypost/cli';

const argv = process.argv.slice(2);
const isOverApi = argv.some((argument) => /^--(url|profile)(=|$)/.test(argument));
// Imported when it is asked for: it has the whole product, and takes longer than what a client command does.
process.exitCode =
  argv[0] === 'admin' && !isOverApi
    ? await (await import('./admin.ts')).runOperatorCommand(argv.slice(1), process.env)
    : await runClient(argv, process.env);
