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
  'endpoints-only-declare': ['services/link-api/src/links/breach.endpoint.ts', './relay-outbox.job.ts'],
  'enter-a-slice-by-its-index': ['services/link-api/src/links/side-door.ts', '../webhooks/queue.ts'],
  'platform-knows-no-slice': ['services/link-api/src/platform/breach.ts', '../audit/index.ts'],
  'no-circle-of-slices': ['services/link-api/src/one/index.ts', '../other/index.ts'],
  'own-adapters-are-built-in-main': ['services/link-api/src/breach.ts', './links/links.sql.ts'],
  'only-main-picks-adapters': ['services/scanner/src/breach.ts', '../../../libs/adapter-kafka/src/index.ts'],
  'services-meet-on-the-bus': ['services/redirector/src/breach.ts', '../../scanner/src/index.ts'],
  'moving-is-loaded-by-its-command': ['services/prepare/src/breach.ts', '../../../libs/moving/src/index.ts'],
  'enter-a-service-by-its-index': ['services/all-in-one/src/breach.ts', '../../scanner/src/app.ts'],
  'what-is-published-stands-alone': ['libs/sdk/src/breach.ts', '../../domain/src/index.ts'],
  'scanner-judges-by-its-arguments': ['services/scanner/src/judge/breach.ts', '../recheck/delist-links.ts'],
  'scanner-store-is-built-in-main': ['services/scanner/src/recheck/breach.ts', './scanned-links.sql.ts'],
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
  'services/scanner/src/recheck/up.ts': '../deep-scans/deep-scans.ts',
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

/** The other half of a circle. */
const RETURN = ['services/link-api/src/other/index.ts', '../one/index.ts'];

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
  for (const { file, imported } of PLANTED)
    fs.writeFileSync(path.join(copy, file), `import ${imported};\nexport type It = typeof breach;\n`);
  const { stdout, stderr } = spawnSync(
    path.join(root, 'node_modules/.bin/depcruise'),
    ['--config', CONFIG, '--output-type', 'json', 'services', 'libs'],
    { cwd: copy, encoding: 'utf8', maxBuffer: 1 << 28 },
  );
  if (!stdout.startsWith('{')) throw new Error(stderr);
  const { violations, totalCruised } = JSON.parse(stdout).summary;
  const breaches = violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to }));
  const planted = new Set(PLANTED.map(({ file }) => file));
  const faults = [
    ...breaches
      .filter(({ from, to }) => !planted.has(from) && !planted.has(to))
      .map(({ rule, from, to }) => `${rule}: ${from} imports ${to}`),
    ...PLANTED.filter(({ rule, file }) => !breaches.some((each) => each.rule === rule && each.from === file)).map(
      ({ rule, file }) => `${rule} does not see its breach in ${file}`,
    ),
    ...forbidden
      .filter(({ name }) => !PLANTED.some(({ rule }) => rule === name))
      .map(({ name }) => `${name} has no breach`),
  ];
  for (const fault of faults) console.error(fault);
  console.log(`${totalCruised} modules, ${forbidden.length} rules, each with a breach: ${faults.length} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  fs.rmSync(copy, { recursive: true, force: true });
}
