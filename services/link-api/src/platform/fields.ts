/** Helps to declare requests and answers. A field is required unless it is `optional`. */
import Joi from 'joi';

export type Fields = Readonly<Record<string, Joi.AnySchema>>;
export type ValueOf<S> = S extends Joi.AnySchema<infer T> ? T : never;
type OptionalIn<F> = { [N in keyof F]: undefined extends ValueOf<F[N]> ? N : never }[keyof F];
export type ObjectOf<F> = { readonly [N in Exclude<keyof F, OptionalIn<F>>]: ValueOf<F[N]> } & {
  readonly [N in OptionalIn<F>]?: Exclude<ValueOf<F[N]>, undefined>;
};

export const object = <F extends Fields>(fields: F) => Joi.object<ObjectOf<F>>(fields).unknown();
/** Gives an object its own section in the OpenAPI document. */
export const named = <F extends Fields>(name: string, description: string, fields: F) =>
  object(fields).id(name).description(description);
export const list = <T>(items: Joi.AnySchema<T>): Joi.ArraySchema<readonly T[]> => Joi.array().items(items);
export const oneOf = <const T extends string>(values: readonly T[]) => Joi.string<T>().valid(...values);
export const optional = <T>(schema: Joi.AnySchema<T>): Joi.AnySchema<T | undefined> => schema.optional();
export const nullable = <T>(schema: Joi.AnySchema<T>): Joi.AnySchema<T | null> => schema.allow(null);

export const time = Joi.string().meta({ format: 'date-time' });
export const uuid = Joi.string().meta({ format: 'uuid' });
export const whole = Joi.number().integer().min(0);

export function problem(helpers: Joi.CustomHelpers, words: string): Joi.ErrorReport {
  return helpers.error('problem', { problem: words });
}

/** A whole number in a query, where everything is text. */
export const wholeParameter = (least: number, most: number, range = `${least} to ${most}`) =>
  Joi.string<number>()
    .custom((value: string, helpers) => {
      const number = /^(?:0|[1-9]\d{0,14})$/.test(value) ? Number(value) : Number.NaN;
      return number >= least && number <= most ? number : problem(helpers, `must be a whole number from ${range}`);
    })
    .meta({ type: 'integer', minimum: least, maximum: most });

/** Cuts the value, because an error would repeat it. A longer text cannot be an id. */
export const inPath = (maxLength: number, description: string, example: string) =>
  Joi.string()
    .custom((value: string) => value.slice(0, maxLength))
    .description(description)
    .example(example);

export function countedList<T>(
  items: Joi.AnySchema<T>,
  problemOf: (list: readonly unknown[]) => string | undefined,
): Joi.ArraySchema<readonly T[]> {
  const countedJoi = Joi.extend({
    type: 'array',
    base: Joi.array(),
    validate: (value: unknown[], helpers) => {
      const words = problemOf(value);
      return words === undefined ? undefined : { value, errors: problem(helpers, words) };
    },
  });
  return countedJoi.array().items(items);
}

/** Control characters (C0, DEL and C1) for use in a character class. */
export const CONTROL = '\\u0000-\\u001f\\u007f-\\u009f';

const oneLine = (value: string, helpers: Joi.CustomHelpers) =>
  /\p{Cc}/u.test(value) || !value.isWellFormed() ? problem(helpers, 'must not contain control characters') : value;

/** One line of text without control characters, so that it can be stored and shown. */
export const text = Joi.string()
  .custom(oneLine)
  .meta({ minLength: 1, pattern: `^[^${CONTROL}]*$` });

/** A text that is compared and never shown. It may contain any characters but must not be empty. */
export const secret = Joi.string<string>().meta({ minLength: 1 });

/** The characters that JavaScript's `trim` removes. `\s` means different characters in other languages. */
export const SPACE = '\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';

/** Describes in JSON Schema a text that is not empty after `trim` and has none of the `refused` characters. */
export function notBlank(maxLength: number, refused = CONTROL) {
  const visible = `[^${SPACE}${refused}]`;
  return { minLength: 1, maxLength, pattern: `^[${SPACE}]*${visible}(?:[^${refused}]*${visible})?[${SPACE}]*$` };
}

/** Is stored without the white space around it. */
export const reasonField = Joi.string()
  .custom((value: string, helpers) => value.trim() || helpers.error('string.empty'))
  .custom(oneLine)
  .max(1000)
  .meta(notBlank(1000));
