/**
 * Prints every package in pnpm-lock.yaml, for every platform, as CycloneDX 1.6: `npm run -s sbom > sbom.json`. Each has
 * a name, version, hash, dependencies and, if it is installed here, licence. The engines of a deployment are images:
 * see deploy/README.md.
 */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('..', import.meta.url));
const lock = parse(fs.readFileSync(path.join(root, 'pnpm-lock.yaml'), 'utf8'));
const { name, version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));

/** Returns `@scope/name@1.2.3(peer@4)` without its peers. */
const bare = (key) => key.split('(', 1)[0];
const split = (key) => {
  const at = key.lastIndexOf('@');
  return [key.slice(0, at), key.slice(at + 1)];
};
const purl = (key) => {
  const [packageName, itsVersion] = split(key);
  return `pkg:npm/${packageName.replace('@', '%40')}@${itsVersion}`;
};

function licence(key) {
  const folder = key.replaceAll('/', '+');
  const [packageName] = split(key);
  const store = path.join(root, 'node_modules/.pnpm');
  const entryName = fs.readdirSync(store).find((entry) => entry === folder || entry.startsWith(`${folder}_`));
  if (entryName === undefined) return [];
  const file = path.join(store, entryName, 'node_modules', packageName, 'package.json');
  const { license } = JSON.parse(fs.readFileSync(file, 'utf8'));
  return typeof license === 'string' ? [{ license: { name: license } }] : [];
}

const components = Object.entries(lock.packages).map(([key, { resolution, os, cpu }]) => {
  const [fullName, itsVersion] = split(key);
  const [group, plain] = fullName.startsWith('@') ? fullName.split('/') : [undefined, fullName];
  const content = Buffer.from(resolution.integrity.replace(/^sha512-/, ''), 'base64').toString('hex');
  return {
    type: 'library',
    'bom-ref': purl(key),
    ...(group !== undefined && { group }),
    name: plain,
    version: itsVersion,
    purl: purl(key),
    hashes: [{ alg: 'SHA-512', content }],
    licenses: licence(key),
    properties: [...(os ?? []), ...(cpu ?? [])].map((value) => ({ name: 'waypost:platform', value })),
  };
});

const needs = new Map();
for (const [key, { dependencies = {}, optionalDependencies = {} }] of Object.entries(lock.snapshots)) {
  const targets = Object.entries({ ...dependencies, ...optionalDependencies }).map(([its, what]) => {
    const target = bare(what);
    return purl(target in lock.packages ? target : `${its}@${target}`);
  });
  const dependsOn = needs.get(purl(bare(key))) ?? new Set();
  for (const target of targets) dependsOn.add(target);
  needs.set(purl(bare(key)), dependsOn);
}

const bom = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  serialNumber: `urn:uuid:${randomUUID()}`,
  version: 1,
  metadata: {
    timestamp: new Date().toISOString(),
    component: { type: 'application', 'bom-ref': name, name, version },
  },
  components,
  dependencies: [...needs].map(([ref, dependsOn]) => ({ ref, dependsOn: [...dependsOn].sort() })),
};
process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`);
