#!/usr/bin/env node
/** `npm run -s waypost -- …` is the client of the REST API, but its `admin` commands run here and need no API key. */
const argv = process.argv.slice(2);
process.exitCode =
  argv[0] === 'admin'
    ? await (await import('./admin.ts')).runOperatorCommand(argv.slice(1), process.env)
    : await (await import('@waypost/cli')).runClient(argv, process.env);
