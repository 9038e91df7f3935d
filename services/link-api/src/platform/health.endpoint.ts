import Joi from 'joi';
import { endpoint, Reply } from './endpoint.ts';
import { named, object, oneOf } from './fields.ts';

export const getHealthEndpoint = endpoint({
  id: 'getHealth',
  method: 'GET',
  path: '/healthz',
  summary: 'Whether the process lives',
  description: 'For a supervisor: no answer means restart.',
  query: undefined,
  answers: {
    200: {
      means: 'It lives.',
      schema: named('Alive', 'The process lives.', { status: oneOf(['alive']) }),
      examples: { Alive: { status: 'alive' } },
    },
  },
  handle: () => ({ status: 'alive' }) as const,
});

const readiness = named(
  'Readiness',
  'Whether the service can do its work, and whether each thing it depends on is well.',
  {
    status: oneOf(['ready', 'not_ready']),
    dependencies: Joi.object<Readonly<Record<string, { readonly ok: boolean }>>>()
      .pattern(Joi.string(), object({ ok: Joi.boolean() }))
      .description('By name.'),
  },
);
const example = (ready: boolean) => ({
  status: ready ? 'ready' : 'not_ready',
  dependencies: { database: { ok: ready }, scanner: { ok: true } },
});

export const getReadinessEndpoint = endpoint({
  id: 'getReadiness',
  method: 'GET',
  path: '/readyz',
  summary: 'Whether it can do its work',
  description:
    'For a load balancer: names each dependency, and whether it is well; at most a second old. Those that are not required do not make it unready.',
  query: undefined,
  answers: {
    200: { means: 'It can.', schema: readiness, examples: { Ready: example(true) } },
    503: { means: 'It cannot.', schema: readiness, examples: { 'Not ready': example(false) } },
  },
  handle: async (_call, deps) => {
    const state = await deps.readiness.public();
    return new Reply(state.status === 'ready' ? 200 : 503, state);
  },
});
