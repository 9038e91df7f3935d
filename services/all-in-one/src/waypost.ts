#!/usr/bin/env node
/**
 * `npm run -s waypost -- …`: the command-line client of the REST API. Its `admin` is the operator commands, which need
 * no key, unless an address or a login says that it is to go over the API.
 */
import module from 'node:module';
import { fileURLToPath } from 'node:url';

// A command is over in less time than Node takes to compile it. Where the folder may not be written, nothing is kept.
module.enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/compiled', import.meta.url)));

const argv = process.argv.slice(2);
const isOverApi = argv.some((argument) => /^--(url|profile)(=|$)/.test(argument));
process.exitCode =
  argv[0] === 'admin' && !isOverApi
    ? await (await import('./admin.ts')).runOperatorCommand(argv.slice(1), process.env)
    : await (await import('@waypost/cli')).runClient(argv, process.env);
