/** `/openapi.json`, made once, at the start. */
import { Router } from 'express';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { type Addresses, openApiDocument } from './openapi.ts';
import { route } from './route.ts';

/** It changes only with a new version, which readers should see soon. */
const CACHE = 'public, max-age=300';

export function docs(endpoints: readonly Endpoint[], addresses: Addresses): Router {
  const document = Buffer.from(JSON.stringify(openApiDocument(endpoints, addresses)));
  const router = Router({ caseSensitive: true, strict: true });
  route(router, '/openapi.json', {
    get: (_request, response) => {
      response.setHeader('Cache-Control', CACHE).type('json').send(document);
    },
  });
  return router;
}
