#!/usr/bin/env node
/**
 * `npm run -s waypost -- …`: the command-line client of the REST API. Its `admin` is the operator commands, which need
 * no key, unless an address or a login says that it is to go over the API.
 */
const argv = process.argv.slice(2);
const isOverApi = argv.some((argument) => /^--(url|profile)(=|$)/.test(argument));
process.exitCode =
  argv[0] === 'admin' && !isOverApi
    ? await (await import('./admin.ts')).runOperatorCommand(argv.slice(1), process.env)
    : await (await import('@waypost/cli')).runClient(argv, process.env);
