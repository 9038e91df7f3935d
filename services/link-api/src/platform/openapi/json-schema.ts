import type Joi from 'joi';

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
}

interface Described {
  readonly type?: string;
  readonly flags?: {
    readonly id?: string;
    readonly description?: string;
    readonly presence?: string;
    readonly unknown?: boolean;
    readonly default?: unknown;
  };
  readonly allow?: readonly unknown[];
  readonly rules?: readonly { readonly name: string; readonly args?: { readonly limit?: number } }[];
  readonly items?: readonly Described[];
  readonly keys?: Readonly<Record<string, Described>>;
  readonly patterns?: readonly { readonly rule: Described }[];
  readonly metas?: readonly Schema[];
  readonly examples?: readonly unknown[];
  readonly notes?: readonly string[];
}

const BOUNDS: Readonly<Record<string, readonly [min: string, max: string]>> = {
  string: ['minLength', 'maxLength'],
  number: ['minimum', 'maximum'],
  array: ['minItems', 'maxItems'],
};

/**
 * Converts a Joi schema to JSON Schema. `.meta()` describes what a custom check requires. With `named`, an object that
 * has an id becomes a reference to its entry there, and `.note()` describes the reference. Joi's own converter creates
 * no references, drops examples, and marks every string as not empty.
 */
export function jsonSchema(schema: Joi.Schema, named?: Record<string, Schema>): Schema {
  return convert(described(schema), named);
}

/** Joi takes a millisecond for a large schema, and the document has that of an error 500 times. */
const descriptions = new WeakMap<Joi.Schema, Described>();

function described(schema: Joi.Schema): Described {
  const description = descriptions.get(schema) ?? schema.describe();
  descriptions.set(schema, description);
  return description;
}

function convert(of: Described, named: Record<string, Schema> | undefined): Schema {
  const { type = 'any', flags = {}, allow = [], rules = [], items, keys, patterns, metas = [], notes, examples } = of;
  // This puts an object before the objects inside it.
  if (flags.id !== undefined && named) named[flags.id] ??= {};
  const values = allow.filter((value) => value !== null);
  const [min = 'min', max = 'max'] = BOUNDS[type] ?? [];
  const limits = rules.flatMap(({ name, args }) =>
    name === 'min' || name === 'max' ? [[name === 'min' ? min : max, args?.limit]] : [],
  );
  const is = rules.some(({ name }) => name === 'integer') ? 'integer' : type;
  const schema: Schema = {
    type: allow.includes(null) ? [is, 'null'] : is,
    ...(flags.description && { description: flags.description }),
    ...(values.length === 1 && { const: values[0] }),
    ...(values.length > 1 && { enum: allow.includes(null) ? [...values, null] : values }),
    ...Object.fromEntries(limits),
    ...(items?.[0] && { items: convert(items[0], named) }),
    ...(keys && fieldsOf(keys, named)),
    ...(keys && !flags.unknown && { additionalProperties: false }),
    ...(patterns?.[0] && { additionalProperties: convert(patterns[0].rule, named) }),
    ...('default' in flags && { default: flags.default }),
    ...(examples && { examples }),
    ...Object.assign({}, ...metas),
  };
  if (flags.id === undefined || !named) return schema;
  named[flags.id] = schema;
  return { $ref: `#/components/schemas/${flags.id}`, ...(notes?.[0] && { description: notes[0] }) };
}

function fieldsOf(keys: Readonly<Record<string, Described>>, named: Record<string, Schema> | undefined): Schema {
  const fields = Object.entries(keys);
  return {
    required: fields.filter(([, { flags }]) => flags?.presence !== 'optional').map(([name]) => name),
    properties: Object.fromEntries(fields.map(([name, field]) => [name, convert(field, named)])),
  };
}
