/** What the endpoints of an account share in their answers. */
import { SCOPES } from '@waypost/domain';
import Joi from 'joi';
import { list, named, oneOf } from './fields.ts';

export const time = Joi.string().meta({ format: 'date-time' });
export const done = (means: string) => ({
  200: { means, schema: named('Done', 'It is done.', { done: Joi.boolean() }), examples: { Done: { done: true } } },
});

export const keyFields = {
  id: Joi.string().meta({ format: 'uuid' }),
  name: Joi.string(),
  scopes: list(oneOf(SCOPES)),
  hint: Joi.string().description('The first characters of the key.'),
  created_at: time,
};
export const KEY = {
  id: 'b7a5f3a0-7d52-4b7c-9a52-0f3c1f6f2b44',
  name: 'laptop',
  scopes: ['read', 'write'] as const,
  hint: 'wp_k7Qm2Rx',
  created_at: '2026-11-21T09:30:00.000Z',
};
