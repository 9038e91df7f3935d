#!/usr/bin/env node
/**
 * `npm run -s waypost -- …` is the client of the REST API. Its `admin` commands run here and need no API key, unless an
 * address or a login selects the API.
 */
const argv = process.argv.slice(2);
const isOverApi = argv.some((argument) => /^--(url|profile)(=|$)/.test(argument));
process.exitCode =
  argv[0] === 'admin' && !isOverApi
    ? await (await import('./admin.ts')).runOperatorCommand(argv.slice(1), process.env)
    : await (await import('@waypost/cli')).runClient(argv, process.env);
