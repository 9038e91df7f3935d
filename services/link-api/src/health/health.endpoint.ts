import Joi from 'joi';
import { endpoint, Reply } from '../platform/endpoint.ts';
import { list, named, nullable, object, oneOf, time } from '../platform/fields.ts';
import type { HealthPorts } from './ports.ts';

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
  handle: async (_call, deps: HealthPorts) => {
    const state = await deps.readiness.public();
    return new Reply(state.status === 'ready' ? 200 : 503, state);
  },
});

export const getHealthDetailsEndpoint = endpoint({
  id: 'getHealthDetails',
  method: 'GET',
  path: '/admin/health',
  scope: 'admin',
  summary: 'Get the health with its details',
  description: 'What the service depends on, as `/readyz` names it, and what is wrong with each.',
  answers: {
    200: {
      means: 'The dependencies.',
      schema: named('HealthDetails', 'What the service depends on.', {
        data: list(
          named('HealthDetail', 'Something that the service depends on.', {
            name: Joi.string(),
            ok: Joi.boolean(),
            detail: nullable(Joi.string()).description('What is wrong with it; null if it is well.'),
            last_done_at: nullable(time).description('Of `backup`, when the newest backup was made; else null.'),
          }),
        ),
      }),
      examples: {
        'A backup of tonight': {
          data: [
            { name: 'database', ok: true, detail: null, last_done_at: null },
            { name: 'backup', ok: true, detail: null, last_done_at: '2026-11-22T03:00:00.000Z' },
          ],
        },
      },
    },
  },
  errors: ['unavailable'],
  handle: async (_call, deps: HealthPorts) => {
    const { dependencies } = await deps.readiness.full();
    const data = Object.entries(dependencies).map(([name, { ok, detail = null, newest }]) => ({
      name,
      ok,
      detail: ok ? null : detail,
      last_done_at: typeof newest === 'string' ? newest : null,
    }));
    return { data };
  },
});
