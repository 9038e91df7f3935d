import { Router } from 'express';
import type { Endpoint, Message } from '../endpoint.ts';
import { route } from '../http/route.ts';
import { type Addresses, openApiDocument } from './openapi.ts';

/** The document changes only with a new version, and readers should see the new version soon. */
const CACHE = 'public, max-age=300';

export function docs(endpoints: readonly Endpoint[], messages: readonly Message[], addresses: Addresses): Router {
  const document = Buffer.from(JSON.stringify(openApiDocument(endpoints, messages, addresses)));
  const router = Router({ caseSensitive: true, strict: true });
  route(router, '/openapi.json', {
    get: (_request, response) => {
      // The API reference reads it from its sandbox, which is another origin (`pages.ts`).
      response.set({ 'Cache-Control': CACHE, 'Access-Control-Allow-Origin': '*' }).type('json').send(document);
    },
  });
  return router;
}
