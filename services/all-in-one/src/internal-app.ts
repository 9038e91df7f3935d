import type { Scanner } from '@waypost/scanner';
import type { Metrics } from '@waypost/service-kit';
import express, { type Express } from 'express';
import { type OperatorCommands, operatorEndpoint } from './operator.ts';

interface Deps {
  readonly scanner: Pick<Scanner, 'router'>;
  readonly metrics: Metrics;
  readonly operator: OperatorCommands;
  readonly secret: string;
  readonly onError: (error: unknown) => void;
}

/** The internal listener, on loopback: the scanner call, the metrics, the operator commands. */
export function internalApp({ scanner, metrics, operator, secret, onError }: Deps): Express {
  const app = express();
  app.disable('x-powered-by');
  app.get('/metrics', async (_request, response) => {
    response.setHeader('Content-Type', metrics.contentType).send(await metrics.text());
  });
  app.get('/healthz', (_request, response) => void response.json({ status: 'alive' }));
  // A feed file of 64 MB travels as base64.
  app.post('/operator', express.json({ limit: '96mb' }), operatorEndpoint(operator, secret, onError));
  app.use(scanner.router);
  app.use((_request, response) => {
    response.status(404).json({ error: 'not_found', message: 'There is nothing at this address.', status: 404 });
  });
  return app;
}
