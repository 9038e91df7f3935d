import Joi from 'joi';
import { endpoint, Reply } from '../platform/endpoint.ts';
import { list, named, nullable, object, oneOf, time } from '../platform/fields.ts';
import type { HealthPorts } from './ports.ts';

export const getHealthEndpoint = endpoint({
  id: 'getHealth',
  method: 'GET',
  path: '/healthz',
  summary: 'Check liveness',
  description: 'Returns 200 while the process runs. A supervisor can restart a process that does not respond.',
  answers: {
    200: {
      means: 'The process runs.',
      schema: named('Alive', 'The state of the process.', { status: oneOf(['alive']) }),
      examples: { Alive: { status: 'alive' } },
    },
  },
  handle: () => ({ status: 'alive' }) as const,
});

const readiness = named('Readiness', 'Whether the service is ready, and whether each of its dependencies works.', {
  status: oneOf(['ready', 'not_ready']),
  dependencies: Joi.object<Readonly<Record<string, { readonly ok: boolean }>>>()
    .pattern(Joi.string(), object({ ok: Joi.boolean() }))
    .description('The dependencies, by name.'),
});
const example = (ready: boolean) => ({
  status: ready ? 'ready' : 'not_ready',
  dependencies: { database: { ok: ready }, scanner: { ok: true } },
});

export const getReadinessEndpoint = endpoint({
  id: 'getReadiness',
  method: 'GET',
  path: '/readyz',
  summary: 'Check readiness',
  description:
    'Returns whether the service is ready for requests, and whether each dependency works. The state is at most one second old. An optional dependency that fails does not change `status`.',
  answers: {
    200: { means: 'The service is ready.', schema: readiness, examples: { Ready: example(true) } },
    503: { means: 'The service is not ready.', schema: readiness, examples: { 'Not ready': example(false) } },
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
  summary: 'Get health details',
  description: 'Returns the dependencies of `/readyz`, with the problem of each that does not work.',
  answers: {
    200: {
      means: 'The dependencies.',
      schema: named('HealthDetails', 'The dependencies of the service.', {
        data: list(
          named('HealthDetail', 'A dependency of the service.', {
            name: Joi.string(),
            ok: Joi.boolean(),
            detail: nullable(Joi.string()).description('The problem. Null if the dependency works.'),
            last_done_at: nullable(time).description(
              'When the newest backup was created, for the dependency `backup`. Null for all others.',
            ),
          }),
        ),
      }),
      examples: {
        'With scheduled backups': {
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
