/**
 * Writes the TypeScript types of the API's requests and responses, from its OpenAPI document. With `--check` it only
 * compares.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import { NO_ALLOWED_HOSTS } from '../libs/domain/src/index.ts';
import { endpoints } from '../services/link-api/src/endpoints.ts';
import { openApiDocument } from '../services/link-api/src/platform/openapi/openapi.ts';

const FILE = fileURLToPath(new URL('../libs/sdk/src/api-types.ts', import.meta.url));
const BIOME = fileURLToPath(new URL('../node_modules/.bin/biome', import.meta.url));

interface Schema {
  readonly enum?: readonly (string | null)[];
}
type Content = { readonly 'application/json': { readonly schema: { readonly $ref?: string } } };
interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly $ref: string }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content: Content }>>;
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

const policy = { registrableDomain: () => null, ownHosts: [], allowed: NO_ALLOWED_HOSTS };
const { openapi, info, paths, components } = openApiDocument(endpoints(policy), { baseUrl: '', redirectBaseUrl: '' });
const { schemas, parameters } = JSON.parse(JSON.stringify(components));
const nodes = await openapiTS(
  { openapi, info, paths: {}, components: { schemas, parameters } },
  { immutable: true, rootTypes: true, rootTypesNoSchemaPrefix: true },
);
const types = nodes
  .map((node) => astToString(node))
  .filter((node) => !node.includes('Record<string, never>;') && !node.startsWith('export type Parameter'));
const HEAD =
  '/** Made by `scripts/api-types.ts` from what the endpoints of `services/link-api` declare: change it there. */\n';
const named = (content?: Content) => content?.['application/json'].schema.$ref?.split('/').at(-1);
const operations = Object.entries(JSON.parse(JSON.stringify(paths)) as Paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId, parameters: refs, requestBody, responses }]) => {
    const declared = refs.map(({ $ref }) => $ref.split('/').at(-1)!).map((key) => ({ key, in: parameters[key].in }));
    const keysOf = (where: string) =>
      declared.flatMap(({ key, ...parameter }) => (parameter.in === where ? [`'${key}'`] : [])).join(' | ') || 'never';
    const choices = [
      ...declared.map(({ key }) => [key.split('.').at(-1)!, parameters[key].schema as Schema] as const),
      ...Object.entries<Schema>(schemas[named(requestBody?.content) ?? '']?.properties ?? {}),
    ].flatMap(([name, schema]) => {
      const values = schema.enum?.filter((choice) => choice !== null);
      return values === undefined ? [] : `${name}: ${JSON.stringify(values)},`;
    });
    const answers = Object.entries(responses).filter(([status]) => status.startsWith('2'));
    return {
      choices: choices.length === 0 ? [] : `${operationId}: { ${choices.join(' ')} },`,
      entry: `${operationId}: ['${method.toUpperCase()}', '${path}'],`,
      type: `readonly ${operationId}: Operation<${keysOf('path')}, ${keysOf('query')}, ${named(requestBody?.content) ?? 'undefined'}, ${answers.map(([, { content }]) => named(content) ?? 'unknown').join(' | ')}>;`,
    };
  }),
);
const OPERATIONS = `
export type Parameters = components['parameters'];

/** Without the operation's id, where several have different parameters of one name. */
type NameOf<Key> = Key extends \`\${string}.\${infer Name}\` ? Name : Key;

/** What an operation takes and answers. */
interface Operation<Path extends keyof Parameters, Query extends keyof Parameters, Body, Answer> {
  readonly path: { readonly [Key in Path as NameOf<Key>]: Parameters[Key] };
  readonly query: { readonly [Key in Query as NameOf<Key>]?: Parameters[Key] | undefined };
  readonly body: Body;
  readonly answer: Answer;
}

/** What each operation takes and answers. */
export interface Operations {
${operations.map(({ type }) => type).join('\n')}
}

/** The method and the path of each. */
export const OPERATIONS = {
${operations.map(({ entry }) => entry).join('\n')}
} as const satisfies Readonly<Record<keyof Operations, readonly [method: string, path: string]>>;
`;
/** A command line needs the values themselves, not only their types. */
const CHOICES = `
/** The values of each parameter and field of a body that has a fixed set of them. */
export const CHOICES = {
${operations.flatMap(({ choices }) => choices).join('\n')}
} as const;
`;
const { stdout: text } = spawnSync(BIOME, ['format', '--stdin-file-path', FILE], {
  input: HEAD + types.join('') + OPERATIONS + CHOICES,
  encoding: 'utf8',
});

if (process.argv[2] !== '--check') {
  fs.writeFileSync(FILE, text);
} else if (!fs.existsSync(FILE) || fs.readFileSync(FILE, 'utf8') !== text) {
  console.error('libs/sdk/src/api-types.ts is not what the API declares: run scripts/node.sh scripts/api-types.ts');
  process.exitCode = 1;
}
