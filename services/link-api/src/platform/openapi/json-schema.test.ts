import { expect, test } from '@jest/globals';
import Joi from 'joi';
import { list, nullable, object, oneOf, optional } from '../fields.ts';
import { input } from '../input.ts';
import { jsonSchema, type Schema } from './json-schema.ts';

const named: Record<string, Schema> = {};
const converted = (schema: Joi.Schema) => jsonSchema(schema, named);

test('limits, values, defaults, examples and custom checks become keywords', () => {
  expect(converted(Joi.string().min(2).max(9).description('a word').example('abc'))).toEqual({
    type: 'string',
    minLength: 2,
    maxLength: 9,
    description: 'a word',
    examples: ['abc'],
  });
  expect(converted(nullable(Joi.number().integer().min(0).max(5)))).toEqual({
    type: ['integer', 'null'],
    minimum: 0,
    maximum: 5,
  });
  expect(converted(list(Joi.boolean()).max(3))).toEqual({ type: 'array', items: { type: 'boolean' }, maxItems: 3 });
  expect(converted(nullable(oneOf(['a', 'b'])))).toEqual({ type: ['string', 'null'], enum: ['a', 'b', null] });
  expect(converted(oneOf(['a', 'b']).default('a'))).toEqual({ type: 'string', enum: ['a', 'b'], default: 'a' });
  expect(converted(oneOf(['a']))).toEqual({ type: 'string', const: 'a' });
  expect(converted(Joi.string().meta({ type: 'integer', minimum: 1 }))).toEqual({ type: 'integer', minimum: 1 });
});

test('a request refuses unknown fields, and an answer allows them', () => {
  const fields = { a: Joi.string(), b: optional(Joi.string()) };
  const schema = { type: 'object', required: ['a'], properties: { a: { type: 'string' }, b: { type: 'string' } } };
  expect(converted(object(fields))).toEqual(schema);
  expect(converted(input(fields).schema)).toEqual({ ...schema, additionalProperties: false });
});

test('a named object becomes a reference', () => {
  const inner = object({ a: Joi.string() }).id('Inner').description('within');
  expect(converted(object({ inner: inner.note('here') }).id('Outer'))).toEqual({ $ref: '#/components/schemas/Outer' });
  expect(named.Outer!.properties).toEqual({ inner: { $ref: '#/components/schemas/Inner', description: 'here' } });
  expect(named.Inner).toMatchObject({ description: 'within', properties: { a: { type: 'string' } } });
});
