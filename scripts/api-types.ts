/**
 * Writes the TypeScript types of the API's requests and responses, from its OpenAPI document. With `--check` it only
 * compares.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import { NO_ALLOWED_HOSTS } from '../libs/domain/src/index.ts';
import { endpoints } from '../services/link-api/src/endpoints/index.ts';
import { openApiDocument } from '../services/link-api/src/http/openapi.ts';

const FILE = fileURLToPath(new URL('../libs/sdk/src/api-types.ts', import.meta.url));
const BIOME = fileURLToPath(new URL('../node_modules/.bin/biome', import.meta.url));

const policy = { registrableDomain: () => null, ownHosts: [], allowed: NO_ALLOWED_HOSTS };
const { openapi, info, components } = openApiDocument(endpoints(policy), { baseUrl: '', redirectBaseUrl: '' });
const { schemas, parameters } = JSON.parse(JSON.stringify(components));
const nodes = await openapiTS(
  { openapi, info, paths: {}, components: { schemas, parameters } },
  { immutable: true, rootTypes: true, rootTypesNoSchemaPrefix: true },
);
const types = nodes
  .map((node) => astToString(node))
  .filter((node) => !node.includes('Record<string, never>;') && !node.startsWith('export type Parameter'));
const HEAD =
  '/** Made by `scripts/api-types.ts` from what `services/link-api/src/endpoints` declares: change it there. */\n';
/** What callers choose from needs the values as well. */
const VALUES = `
/** Most severe first. */
export const THREAT_TYPES = ${JSON.stringify(schemas.TakeDown.properties.threat_type.enum)} as const;
`;
const { stdout: text } = spawnSync(BIOME, ['format', '--stdin-file-path', FILE], {
  input: HEAD + types.join('') + VALUES,
  encoding: 'utf8',
});

if (process.argv[2] !== '--check') {
  fs.writeFileSync(FILE, text);
} else if (!fs.existsSync(FILE) || fs.readFileSync(FILE, 'utf8') !== text) {
  console.error('libs/sdk/src/api-types.ts is not what the API declares: run scripts/node.sh scripts/api-types.ts');
  process.exitCode = 1;
}
