import express, { type Express, type RequestHandler } from 'express';
import { type HealthCheck, readiness } from './health.ts';
import type { Metrics } from './metrics.ts';
import { type OperatorCommands, operatorEndpoint } from './operator.ts';
import { traceRequests } from './tracing.ts';

export interface InternalAppDeps {
  readonly metrics: Metrics;
  readonly health: Readonly<Record<string, HealthCheck>>;
  readonly operator?: {
    readonly commands: OperatorCommands;
    readonly secret: string;
    readonly onError: (error: unknown) => void;
  };
  /** What else this process answers internally. */
  readonly routers?: readonly RequestHandler[];
}

/** The internal listener: health, metrics, the operator commands, and what the service adds. Never public. */
export function internalApp({ metrics, health, operator, routers = [] }: InternalAppDeps): Express {
  const app = express();
  app.disable('x-powered-by');
  app.get('/healthz', (_request, response) => void response.json({ status: 'alive' }));
  app.get('/readyz', async (_request, response) => {
    const state = await readiness(health);
    response.status(state.status === 'ready' ? 200 : 503).json(state);
  });
  app.get('/metrics', async (_request, response) => {
    response.setHeader('Content-Type', metrics.contentType).send(await metrics.text());
  });
  if (operator !== undefined) {
    // A feed file of 64 MB travels as base64.
    app.post(
      '/operator',
      express.json({ limit: '96mb' }),
      operatorEndpoint(operator.commands, operator.secret, operator.onError),
    );
  }
  app.use(traceRequests);
  for (const router of routers) app.use(router);
  app.use((_request, response) => {
    response.status(404).json({ error: 'not_found', message: 'There is nothing at this address.', status: 404 });
  });
  return app;
}
