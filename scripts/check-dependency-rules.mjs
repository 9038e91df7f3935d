/**
 * Checks the dependency rules, and that each rule detects a breach. In a copy of the sources, one file for each rule
 * breaks that rule. Any other violation is a fault, and so is a rule that does not detect its breach.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const CONFIG = '.dependency-cruiser.cjs';
const { forbidden } = createRequire(import.meta.url)(path.join(root, CONFIG));

const BREACHES = {
  'domain-is-pure': ['libs/domain/src/breach.ts', 'node:fs'],
  'ports-know-only-domain': ['libs/ports/src/breach.ts', '../../resilience/src/index.ts'],
  'adapters-do-not-meet': ['libs/adapter-redis/src/breach.ts', '../../adapter-kafka/src/index.ts'],
  'libs-know-no-service': ['libs/html/src/breach.ts', '../../../services/scanner/src/index.ts'],
  'use-cases-see-no-technology': ['services/link-api/src/links/breach.ts', './create.endpoint.ts'],
  'adapters-do-not-serve': ['libs/adapter-redis/src/serves.ts', '../../process/src/index.ts'],
  'own-adapters-do-not-serve': ['services/link-api/src/links/breach.sql.ts', './relay-outbox.job.ts'],
  'endpoints-only-declare': ['services/link-api/src/links/breach.endpoint.ts', './relay-outbox.job.ts'],
  'enter-a-slice-by-its-index': ['services/link-api/src/links/side-door.ts', '../webhooks/queue.ts'],
  'platform-knows-no-slice': ['services/link-api/src/platform/breach.ts', '../audit/index.ts'],
  'own-adapters-are-built-in-main': ['services/link-api/src/breach.ts', './links/links.sql.ts'],
  'only-main-picks-adapters': ['services/scanner/src/breach.ts', '../../../libs/adapter-kafka/src/index.ts'],
  'slices-only-name-the-database': ['services/link-api/src/breach/index.ts', '../../../../libs/postgres/src/index.ts'],
  'services-meet-on-the-bus': ['services/redirector/src/breach.ts', '../../scanner/src/index.ts'],
  'tables-have-one-owner': ['services/analytics-ingest/src/breach.ts', '../../link-api/migrations/index.ts'],
  'moving-is-loaded-by-its-command': ['services/prepare/src/breach.ts', '../../../libs/moving/src/index.ts'],
  'enter-a-service-by-its-index': ['services/all-in-one/src/breach.ts', '../../scanner/src/app.ts'],
  'what-is-published-stands-alone': ['libs/sdk/src/breach.ts', '../../domain/src/index.ts'],
  'scanner-judges-by-its-arguments': ['services/scanner/src/judge/breach.ts', '../recheck/delist-links.ts'],
  'scanner-store-is-built-in-main': ['services/scanner/src/recheck/breach.ts', './scanned-links.sql.ts'],
  'scanner-has-these-rooms': ['services/scanner/src/attic/breach.ts', '../judge/judge.ts'],
  'redirector-has-these-rooms': ['services/redirector/src/attic/breach.ts', '../links/resolve-slug.ts'],
  'all-in-one-has-these-rooms': ['services/all-in-one/src/attic/breach.ts', '../engines.ts'],
  'no-cycles': ['libs/backup/src/breach.ts', './breach.ts'],
  'not-to-test': ['libs/process/src/breach.ts', '../test/stop.test.ts'],
  resolvable: ['libs/settings/src/breach.ts', './there-is-none.ts'],
};
/** Types from a higher room of the same service. */
const UPWARD = {
  'services/scanner/src/packed-keys.ts': './threats/threat-index.ts',
  'services/scanner/src/judge/urls/up.ts': '../rules/subject.ts',
  'services/scanner/src/judge/rules/up.ts': '../lexical/lexical-rule.ts',
  'services/scanner/src/judge/up.ts': '../threats/threat-index.ts',
  'services/scanner/src/threats/feeds/up.ts': '../threat-store.ts',
  'services/scanner/src/threats/up.ts': '../recheck/rescanner.ts',
  'services/scanner/src/recheck/providers/up.ts': '../recheck-links.ts',
  'services/scanner/src/recheck/up.ts': '../status.ts',
  'services/scanner/src/metrics.ts': './app.ts',
  'services/redirector/src/clicks/up.ts': '../links/resolve-slug.ts',
  'services/redirector/src/pages/up.ts': '../listener/route.ts',
  'services/redirector/src/listener/up.ts': '../threads/run-thread.ts',
  'services/redirector/src/threads/up.ts': '../app.ts',
  'services/all-in-one/src/connections.ts': './engines.ts',
  'services/all-in-one/src/backup.ts': './services.ts',
  'services/all-in-one/src/services.ts': './app.ts',
};
const PLANTED = [
  ...Object.entries(BREACHES).map(([rule, [file, imported]]) => ({
    rule,
    file,
    imported: `* as breach from '${imported}'`,
  })),
  ...Object.entries(UPWARD).map(([file, imported]) => ({
    rule: `${file.split('/')[1]}-imports-run-down`,
    file,
    imported: `type * as breach from '${imported}'`,
  })),
];

/** Two slices that know a type of each other. A new slice is in no list of rooms, so circles are searched for. */
const CIRCLE = {
  'services/link-api/src/one/index.ts': '../other/index.ts',
  'services/link-api/src/other/index.ts': '../one/index.ts',
};

const copy = fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-rules-'));
try {
  const isSource = (from) => !/\/(data|dist)(\/|$)/.test(from);
  for (const folder of ['services', 'libs', 'scripts']) {
    fs.cpSync(path.join(root, folder), path.join(copy, folder), {
      recursive: true,
      verbatimSymlinks: true,
      filter: isSource,
    });
  }
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  for (const file of ['package.json', 'tsconfig.json', 'tsconfig.base.json', CONFIG]) {
    fs.copyFileSync(path.join(root, file), path.join(copy, file));
  }
  for (const { file, imported } of PLANTED) {
    fs.mkdirSync(path.join(copy, path.dirname(file)), { recursive: true });
    fs.writeFileSync(path.join(copy, file), `import ${imported};\nexport type It = typeof breach;\n`);
  }
  for (const [file, imported] of Object.entries(CIRCLE)) {
    fs.mkdirSync(path.join(copy, path.dirname(file)));
    fs.writeFileSync(
      path.join(copy, file),
      `import type * as other from '${imported}';\nexport type It = typeof other;\n`,
    );
  }
  const { stdout, stderr } = spawnSync(
    path.join(root, 'node_modules/.bin/depcruise'),
    ['--config', CONFIG, '--output-type', 'json', 'services', 'libs'],
    { cwd: copy, encoding: 'utf8', maxBuffer: 1 << 28 },
  );
  if (!stdout.startsWith('{')) throw new Error(stderr);
  const { modules, summary } = JSON.parse(stdout);
  const { violations, totalCruised } = summary;
  const breaches = violations.map(({ rule, from, to, cycle = [] }) => {
    return { rule: rule.name, from, to, files: [from, to, ...cycle.map(({ name }) => name)] };
  });
  const planted = new Set([...PLANTED.map(({ file }) => file), ...Object.keys(CIRCLE)]);
  const faults = [
    ...breaches
      .filter(({ files }) => !files.some((file) => planted.has(file)))
      .map(({ rule, from, to }) => `${rule}: ${from} imports ${to}`),
    ...PLANTED.filter(({ rule, file }) => !breaches.some((each) => each.rule === rule && each.from === file)).map(
      ({ rule, file }) => `${rule} does not see its breach in ${file}`,
    ),
    ...forbidden
      .filter(({ name }) => !PLANTED.some(({ rule }) => rule === name))
      .map(({ name }) => `${name} has no breach`),
    ...circlesIn(modules.filter(({ source }) => !planted.has(source))).map((rooms) => `a circle of slices: ${rooms}`),
    ...(circlesIn(modules.filter(({ source }) => source in CIRCLE)).length > 0
      ? []
      : ['a circle of slices is not seen']),
  ];
  for (const fault of faults) console.error(fault);
  console.log(`${totalCruised} modules, ${forbidden.length} rules, each with a breach: ${faults.length} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  fs.rmSync(copy, { recursive: true, force: true });
}

/** Returns the rooms on each circle, as `a -> b -> a`. */
function circlesIn(modules) {
  const arrows = new Map();
  for (const { source, dependencies } of modules) {
    const from = roomOf(source);
    if (from === undefined) continue;
    const to = dependencies
      .map(({ resolved }) => roomOf(resolved))
      .filter((room) => room !== undefined && room !== from);
    arrows.set(from, new Set([...(arrows.get(from) ?? []), ...to]));
  }
  const circles = [];
  const done = new Set();
  const visit = (room, way) => {
    if (way.includes(room)) circles.push([...way.slice(way.indexOf(room)), room].join(' -> '));
    if (way.includes(room) || done.has(room)) return;
    for (const next of arrows.get(room) ?? []) visit(next, [...way, room]);
    done.add(room);
  };
  for (const room of arrows.keys()) visit(room, []);
  return circles;
}

/** Tests may import anything. */
function roomOf(file) {
  return file.endsWith('.test.ts') ? undefined : /^services\/link-api\/src\/([^/]+)\//.exec(file)?.[1];
}
