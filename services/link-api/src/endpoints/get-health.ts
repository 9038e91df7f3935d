import { endpoint, none } from './endpoint.ts';
import { object, oneOf } from './fields.ts';

export const getHealthEndpoint = endpoint({
  id: 'getHealth',
  method: 'GET',
  path: '/healthz',
  tag: 'Health',
  summary: 'Whether the process lives',
  description: 'For a supervisor: no answer means restart.',
  params: none,
  query: undefined,
  body: undefined,
  answers: {
    200: {
      means: 'It lives.',
      schema: object({ status: oneOf(['alive']) })
        .id('Alive')
        .description('The process lives.'),
      examples: { Alive: { status: 'alive' } },
    },
  },
  errors: [],
  sample: { path: '/healthz' },
  handle: () => ({ status: 'alive' }) as const,
});
