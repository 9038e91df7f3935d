/** The tools: each is an endpoint, in the words of its declaration but for what stands here. */
import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import Joi from 'joi';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { jsonSchema, type Schema } from '../http/json-schema.ts';
import { IDEMPOTENCY_KEY } from '../http/openapi.ts';
import type { EndpointRequest, ServedEndpoint } from '../http/serving.ts';

/** By the id of the endpoint. */
const TOOLS: Readonly<Record<string, { readonly name: string; readonly description?: string }>> = {
  createLink: { name: 'create_short_link' },
  createLinks: { name: 'bulk_create_links' },
  revokeLink: {
    name: 'revoke_link',
    description:
      'Switches a link off for good: when this is answered, nobody is sent to its destination any more. It cannot be undone, and the slug is never free again. A link that is revoked already is an error that changes nothing.',
  },
  listLinks: { name: 'list_links' },
  getAnalytics: { name: 'get_analytics' },
  generateQr: { name: 'generate_qr' },
};

/** Arguments, as the request that they stand for. */
export type Asked = Pick<EndpointRequest, 'params' | 'query' | 'body' | 'idempotencyKey'>;

export interface Tool {
  readonly served: ServedEndpoint;
  /** As a client is told of it. */
  readonly listed: ListedTool;
  asked(given: Readonly<Record<string, unknown>>): Asked;
}

export function toolsOf(served: readonly ServedEndpoint[]): ReadonlyMap<string, Tool> {
  const tools = served.flatMap((each) => {
    const words = TOOLS[each.endpoint.id];
    return words === undefined ? [] : [toolOf(each, words)];
  });
  return new Map(tools.map((tool) => [tool.listed.name, tool]));
}

function toolOf(served: ServedEndpoint, words: (typeof TOOLS)[string]): Tool {
  const { endpoint } = served;
  const { summary, description, method, creates = false, params, query = {}, body, answers } = endpoint;
  const parameters = jsonSchema(Joi.object({ ...params, ...query }));
  const args = Object.fromEntries(
    Object.entries(parameters.properties ?? {}).map(([name, schema]) => [name, argumentOf(schema)]),
  );
  const fields = body && jsonSchema(body.schema);
  const properties = {
    ...args,
    ...fields?.properties,
    ...(creates && { [IDEMPOTENCY_ARGUMENT]: { ...IDEMPOTENCY_KEY.schema, description: IDEMPOTENCY_KEY.description } }),
  };
  const results = Object.values(answers).map(({ schema }) => jsonSchema(schema));
  return {
    served,
    listed: {
      title: summary,
      description,
      ...words,
      inputSchema: asJson(
        {
          type: 'object',
          properties,
          required: [...(parameters.required ?? []), ...(fields?.required ?? [])],
          additionalProperties: false,
        },
        withoutNull,
      ),
      outputSchema: asJson(results.length === 1 ? results[0]! : { type: 'object', anyOf: results }, withoutIri),
      annotations: {
        readOnlyHint: method === 'GET',
        destructiveHint: method !== 'GET' && !creates,
        idempotentHint: !creates,
        openWorldHint: false,
      },
    },
    asked: (given) => asked(endpoint, args, given),
  };
}

/** The SDK's type of a schema is that of any JSON object. */
function asJson(schema: Schema, replace: (key: string, value: unknown) => unknown): ListedTool['inputSchema'] {
  return JSON.parse(JSON.stringify(schema, replace));
}

/** Validators warn of `iri`, which few of them know. */
function withoutIri(key: string, value: unknown): unknown {
  return key === 'format' && value === 'iri' ? undefined : value;
}

/** Some models take no list of types. What may be null in an argument may as well be left out. */
function withoutNull(key: string, value: unknown): unknown {
  return key === 'type' && Array.isArray(value) ? value[0] : withoutIri(key, value);
}

const IDEMPOTENCY_ARGUMENT = 'idempotency_key';

/** What a query can only write as text is a boolean of JSON here. Numbers say already that they are. */
function argumentOf(schema: Schema): Schema {
  const { enum: values, ...others } = schema;
  return values?.join() === 'true,false' ? { ...others, type: 'boolean', default: others.default === 'true' } : schema;
}

/** What no one declares goes where it is named as a fault. */
function asked(
  { params, body, creates }: Endpoint,
  args: Readonly<Record<string, Schema>>,
  given: Readonly<Record<string, unknown>>,
): Asked {
  // Without prototypes: `__proto__` is a field like any other.
  const inPath: Record<string, unknown> = Object.create(null);
  const inQuery: Record<string, unknown> = Object.create(null);
  const inBody: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(given)) {
    if (creates && name === IDEMPOTENCY_ARGUMENT) continue;
    if (Object.hasOwn(params, name)) inPath[name] = value;
    else if (body !== undefined && !Object.hasOwn(args, name)) inBody[name] = value;
    // As a model says of a parameter that it has nothing to say.
    else if (value !== null) inQuery[name] = asText(value, args[name]);
  }
  return {
    params: inPath,
    query: inQuery,
    body: inBody,
    idempotencyKey: creates
      ? { name: IDEMPOTENCY_ARGUMENT, value: given[IDEMPOTENCY_ARGUMENT] ?? undefined }
      : undefined,
  };
}

/** As a query has it. */
function asText(value: unknown, { type }: Schema = {}): unknown {
  return typeof value === type || (typeof value === 'number' && type === 'integer') ? String(value) : value;
}
