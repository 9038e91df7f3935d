import { endpoint } from './endpoint.ts';
import { named, oneOf } from './fields.ts';

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
