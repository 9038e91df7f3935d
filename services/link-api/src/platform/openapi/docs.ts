import { Router } from 'express';
import { route } from '../http/route.ts';
import { openApiDocument } from './openapi.ts';

/** The document changes only with a new version, and readers should see the new version soon. */
const CACHE = 'public, max-age=300';

export function docs(...document: Parameters<typeof openApiDocument>): Router {
  const json = Buffer.from(JSON.stringify(openApiDocument(...document)));
  const router = Router({ caseSensitive: true, strict: true });
  route(router, '/openapi.json', {
    get: (_request, response) => {
      // The API reference reads it from its sandbox, which is another origin (`pages.http.ts`).
      response.set({ 'Cache-Control': CACHE, 'Access-Control-Allow-Origin': '*' }).type('json').send(json);
    },
  });
  return router;
}
