import { cachedReadiness, type HealthCheck, type Metrics, metric } from '@waypost/telemetry';
import express, { type Express, type RequestHandler } from 'express';
import { traceRequests } from './trace-requests.ts';

export interface InternalAppDeps {
  readonly metrics: Metrics;
  readonly health: Readonly<Record<string, HealthCheck>>;
  readonly routers?: readonly RequestHandler[];
}

export const DEPENDENCY_METRICS = {
  up: metric.gauge(
    'waypost_dependency_up',
    'Whether a dependency works, as reported by /readyz: 1 or 0.',
    'dependency',
  ),
};

/** This app shows the causes of problems and figures about the service, so its port must never be public. */
export function internalApp({ metrics, health, routers = [] }: InternalAppDeps): Express {
  const app = express();
  app.disable('x-powered-by');
  const ready = cachedReadiness(health);
  metrics.read(DEPENDENCY_METRICS, async () => {
    const { dependencies } = await ready.full();
    return { up: Object.entries(dependencies).map(([dependency, { ok }]) => ({ labels: { dependency }, value: ok })) };
  });
  app.get('/healthz', (_request, response) => void response.json({ status: 'alive' }));
  app.get('/readyz', async (_request, response) => {
    const state = await ready.full();
    response.status(state.status === 'ready' ? 200 : 503).json(state);
  });
  app.get('/metrics', async (_request, response) => {
    response.setHeader('Content-Type', metrics.contentType).send(await metrics.text());
  });
  app.use(traceRequests);
  for (const router of routers) app.use(router);
  app.use((_request, response) => {
    response.status(404).json({ error: 'not_found', message: 'There is nothing at this path.', status: 404 });
  });
  return app;
}
