/** `/openapi.json` and its page, `/docs`. Both are made once, at the start. */
import { Router } from 'express';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { DOCS_STYLE, docsPage } from './docs-page.ts';
import { methodNotAllowed } from './errors.ts';
import { type Addresses, openApiDocument } from './openapi.ts';

/** They change only with a new version, which readers should see soon. */
const CACHE = 'public, max-age=300';

export function docs(endpoints: readonly Endpoint[], addresses: Addresses): Router {
  const document = openApiDocument(endpoints, addresses);
  const json = Buffer.from(JSON.stringify(document));
  const page = Buffer.from(docsPage(document));

  const router = Router({ caseSensitive: true, strict: true });
  router
    .route('/openapi.json')
    .get((_request, response) => {
      response.setHeader('Cache-Control', CACHE).type('json').send(json);
    })
    .all((_request, response) => methodNotAllowed(response, 'GET, HEAD'));
  router
    .route('/docs')
    .get((_request, response) => {
      response
        .setHeader('Cache-Control', CACHE)
        .setHeader('Content-Security-Policy', DOCS_STYLE.contentSecurityPolicy)
        .type('html')
        .send(page);
    })
    .all((_request, response) => methodNotAllowed(response, 'GET, HEAD'));
  return router;
}
