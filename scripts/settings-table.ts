/** Writes docs/settings.md from the declarations of the services' settings. `--check` only compares them. */
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Declarations } from '../libs/settings/src/index.ts';
import { SETTINGS as ALL_IN_ONE } from '../services/all-in-one/src/config.ts';
import { SETTINGS as ANALYTICS_INGEST } from '../services/analytics-ingest/src/config.ts';
import { SETTINGS as INSPECTOR } from '../services/inspector/src/config.ts';
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
  inspector: INSPECTOR,
  'analytics-ingest': ANALYTICS_INGEST,
};

const INTRODUCTION = `# Settings

Set these environment variables. An empty or malformed value ends the start with one message that names every fault.
Lists are comma separated, or \`none\`. A secret is in no message; each secret \`NAME\` may also come from the file that
\`NAME_FILE\` names. \`npm start\` is everything in one process; \`prepare\` is \`npm run waypost -- admin prepare\`.
\`scripts/settings-table.ts\` writes this page from the declarations in each \`services/*/src/config.ts\`.
`;

function rows(): string[] {
  const readers = new Map<string, string[]>();
  for (const [reader, settings] of Object.entries(READERS)) {
    for (const [name, { kind, purpose, isSecret, absent }] of Object.entries(settings)) {
      const kindOf = isSecret ? `${kind}, secret` : kind;
      const way = [`\`${name}\``, kindOf, absent?.shown ?? 'required', purpose].join(' | ');
      readers.set(way, [...(readers.get(way) ?? []), reader]);
    }
  }
  const nameOf = (way: string) => way.split(' ', 1)[0]!;
  return [...readers]
    .sort(([a], [b]) => nameOf(a).localeCompare(nameOf(b), 'en'))
    .map(([way, names]) => `| ${way} | ${names.length === Object.keys(READERS).length ? 'all' : names.join(', ')} |`);
}

const HEAD = ['| Name | Kind | Default | What it is | Read by |', '|---|---|---|---|---|'];
const text = `${INTRODUCTION}\n${[...HEAD, ...rows()].join('\n')}\n`;

if (process.argv[2] !== '--check') {
  fs.writeFileSync(FILE, text);
} else if (!fs.existsSync(FILE) || fs.readFileSync(FILE, 'utf8') !== text) {
  console.error('docs/settings.md is not what the services declare: run scripts/node.sh scripts/settings-table.ts');
  process.exitCode = 1;
}
