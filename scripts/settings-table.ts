/** Writes docs/settings.md from the declarations of the services' settings. `--check` only compares them. */
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Declarations } from '../libs/settings/src/index.ts';
import { SETTINGS as ALL_IN_ONE } from '../services/all-in-one/src/config.ts';
import { SETTINGS as ANALYTICS_INGEST } from '../services/analytics-ingest/src/config.ts';
import { SETTINGS as LINK_API } from '../services/link-api/src/config.ts';
import { SETTINGS as PREPARE } from '../services/prepare/src/config.ts';
import { SETTINGS as REDIRECTOR } from '../services/redirector/src/config.ts';
import { SETTINGS as SCANNER } from '../services/scanner/src/config.ts';

const FILE = fileURLToPath(new URL('../docs/settings.md', import.meta.url));

const READERS: Readonly<Record<string, Declarations>> = {
  'npm start': ALL_IN_ONE,
  'link-api': LINK_API,
  prepare: PREPARE,
  redirector: REDIRECTOR,
  scanner: SCANNER,
  'analytics-ingest': ANALYTICS_INGEST,
};

const INTRODUCTION = `# Settings

Set these environment variables. An empty or malformed value ends the start with one message that names every fault.
Each entry has in parentheses its kind, its default, and who reads it: \`npm start\` is everything in one process,
\`prepare\` is \`npm run waypost -- admin prepare\`. Lists are comma separated, or \`none\`. A secret is in no message;
each secret \`NAME\` may also come from the file that \`NAME_FILE\` names. \`scripts/settings-table.ts\` writes this
page from the declarations in each \`services/*/src/config.ts\`.
`;

function entries(): string[] {
  const readers = new Map<string, string[]>();
  for (const [reader, settings] of Object.entries(READERS)) {
    for (const [name, { kind, purpose, isSecret, absent }] of Object.entries(settings)) {
      const entry = JSON.stringify([name, isSecret ? `${kind}, secret` : kind, absent?.shown ?? 'required', purpose]);
      readers.set(entry, [...(readers.get(entry) ?? []), reader]);
    }
  }
  return [...readers]
    .map(([entry, names]) => [
      ...JSON.parse(entry),
      names.length === Object.keys(READERS).length ? 'all' : names.join(', '),
    ])
    .sort(([a], [b]) => a.localeCompare(b, 'en'))
    .map(([name, kind, fallback, purpose, names]) => `- \`${name}\` (${kind}; ${fallback}; ${names}): ${purpose}`);
}

const text = `${INTRODUCTION}\n${entries().join('\n')}\n`;

if (process.argv[2] !== '--check') {
  fs.writeFileSync(FILE, text);
} else if (!fs.existsSync(FILE) || fs.readFileSync(FILE, 'utf8') !== text) {
  console.error('docs/settings.md is not what the services declare: run scripts/node.sh scripts/settings-table.ts');
  process.exitCode = 1;
}
