/**
 * Writes the TypeScript types of the API's requests and responses, and the flags and administration commands of the
 * command line, from the OpenAPI document. With `--check` it only compares.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import { NO_ALLOWED_HOSTS } from '../libs/domain/src/index.ts';
import { declared } from '../services/link-api/src/app.ts';
import { openApiDocument } from '../services/link-api/src/platform/openapi/openapi.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BIOME = fileURLToPath(new URL('../node_modules/.bin/biome', import.meta.url));

interface Schema {
  readonly type: string | readonly string[];
  readonly enum?: readonly (string | null)[];
  readonly items?: Schema;
  readonly default?: unknown;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
}
type Content = Readonly<Record<string, { readonly schema: { readonly $ref?: string } }>>;
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly 'x-codeSamples'?: readonly [{ readonly source: string }];
  readonly parameters: readonly { readonly $ref: string }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content: Content }>>;
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

const policy = { registrableDomain: () => null, ownHosts: [], allowed: NO_ALLOWED_HOSTS };
const addresses = { baseUrl: '', redirectBaseUrl: '' };
const document = openApiDocument(declared(policy), addresses);
const { openapi, info, paths, components } = document;
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
const named = (content?: Content) => content?.['application/json']?.schema.$ref?.split('/').at(-1);

/** Without JSON, it is a picture. */
const answerOf = (content: Content) => ('application/json' in content ? (named(content) ?? 'unknown') : 'Uint8Array');

function flagOf(name: string, schema: Schema, isRequired: boolean) {
  const type = [schema.type].flat().find((each) => each !== 'null');
  const values = (schema.enum ?? schema.items?.enum)?.filter((each) => each !== null);
  const least = type === 'integer' ? schema.minimum : undefined;
  return [name, { type, help: helpOf(schema), values, least, ...(isRequired && { required: true }) }] as const;
}

/** A terminal has little room: the first sentence of the description, without Markdown, then what the schema says. */
function helpOf({ description = '', default: standard, minimum, maximum = Infinity, maxItems }: Schema): string {
  const [first = ''] = description.replaceAll('`', '').split(/\.(?: |$)/);
  const facts = [
    ...(maxItems === undefined ? [] : [`Can be repeated up to ${maxItems} times`]),
    ...(maximum < 1e9 ? [`${minimum} to ${maximum}`] : []),
    ...(standard === undefined ? [] : [`Default: ${standard}`]),
  ];
  return [first, ...facts].map((each) => `${each}.`).join(' ');
}

/** The command of administrators and operators, if the operation has one. */
function commandOf({ operationId, summary, description, 'x-codeSamples': samples }: Operation) {
  const example = samples?.[0].source;
  const [, name] = /^waypost admin (\S+)/.exec(example ?? '') ?? [];
  const words = { name, summary: `${summary}.`, description: description.replaceAll('`', ''), example };
  return name === undefined ? [] : [[operationId, words] as const];
}

const operations = Object.entries(JSON.parse(JSON.stringify(paths)) as Paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => {
    const { operationId, parameters: refs, requestBody, responses, 'x-codeSamples': samples } = operation;
    const declared = refs.map(({ $ref }) => $ref.split('/').at(-1)!).map((key) => ({ key, in: parameters[key].in }));
    const keysOf = (where: string) =>
      declared.flatMap(({ key, ...parameter }) => (parameter.in === where ? [`'${key}'`] : [])).join(' | ') || 'never';
    const { properties = {}, required = [] } = schemas[named(requestBody?.content) ?? ''] ?? {};
    const flags = [
      ...declared
        .filter((parameter) => parameter.in === 'query' || path.startsWith('/api/v1/admin/'))
        .map(({ key }) => {
          const { name, schema, description, required: isRequired = false } = parameters[key];
          return flagOf(name, { ...schema, description }, isRequired);
        }),
      ...Object.entries<Schema>(properties).map(([name, schema]) => flagOf(name, schema, required.includes(name))),
    ];
    const answers = Object.entries(responses).filter(([status]) => status.startsWith('2'));
    return {
      flags: samples === undefined ? [] : [[operationId, Object.fromEntries(flags)] as const],
      command: commandOf(operation),
      entry: `${operationId}: ['${method.toUpperCase()}', '${path}'],`,
      type: `readonly ${operationId}: Operation<${keysOf('path')}, ${keysOf('query')}, ${named(requestBody?.content) ?? 'undefined'}, ${answers.map(([, { content }]) => answerOf(content)).join(' | ')}>;`,
    };
  }),
);
const messages = new Set(
  Object.values(document.webhooks).map(({ post }) => named(JSON.parse(JSON.stringify(post.requestBody.content)))),
);
const OPERATIONS = `
/** What a webhook is sent. \`type\` tells which it is; a later version of the API may have more. */
export type WebhookMessage = ${[...messages].join(' | ')};

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

/** Every field of a link. */
export const LINK_FIELDS = ${JSON.stringify(Object.keys(schemas.Link.properties))} as const satisfies readonly (keyof Link)[];

/** The method and the path of each. */
export const OPERATIONS = {
${operations.map(({ entry }) => entry).join('\n')}
} as const satisfies Readonly<Record<keyof Operations, readonly [method: string, path: string]>>;
`;
/** `flags` has the parameters, and the fields of the body, of each operation that has a command. */
const COMMANDS = {
  flags: Object.fromEntries(operations.flatMap(({ flags }) => flags)),
  administration: Object.fromEntries(operations.flatMap(({ command }) => command)),
};

const FILES = {
  'libs/sdk/src/api-types.ts': HEAD + types.join('') + OPERATIONS,
  'services/cli/src/api-commands.json': JSON.stringify(COMMANDS),
};
for (const [file, body] of Object.entries(FILES)) {
  const { stdout: text } = spawnSync(BIOME, ['format', '--stdin-file-path', `${ROOT}${file}`], {
    input: body,
    encoding: 'utf8',
  });
  if (process.argv[2] !== '--check') {
    fs.writeFileSync(`${ROOT}${file}`, text);
  } else if (!fs.existsSync(`${ROOT}${file}`) || fs.readFileSync(`${ROOT}${file}`, 'utf8') !== text) {
    console.error(`${file} is not what the API declares: run scripts/node.sh scripts/api-types.ts`);
    process.exitCode = 1;
  }
}
