import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { FAVICON, html } from '@waypost/html';
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express';
import { sendPage } from '../platform/http/page.ts';
import { route } from '../platform/http/route.ts';

/** Allows only the page's own inline scripts, and no content or frames of other sites. */
const policyOf = (page: string, styles = "'self'") =>
  [
    "default-src 'none'",
    `script-src 'self'${inlineScripts(page)
      .map((script) => ` '${sha256(script)}'`)
      .join('')}`,
    `style-src ${styles}`,
    "font-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');

const inlineScripts = (page: string) => page.match(/(?<=<script>)[^<]*(?=<\/script>)/g) ?? [];
const sha256 = (text: string) => `sha256-${createHash('sha256').update(text).digest('base64')}`;

function sendCompressed(folder: string): RequestHandler {
  const files = new Set(fs.readdirSync(folder));
  return (request, response, next) => {
    const name = request.path.slice(1);
    if (files.has(`${name}.gz`)) {
      const encoding = request.acceptsEncodings('br', 'gzip');
      response.vary('Accept-Encoding');
      if (encoding !== false) {
        response.type(path.extname(name)).setHeader('Content-Encoding', encoding);
        request.url = `/${name}.${encoding === 'br' ? 'br' : 'gz'}`;
      }
    }
    next();
  };
}

/** Programs use these paths, so errors there stay JSON. */
const PROGRAMS = /^\/(?:api|assets|mcp)(?:\/|$)/;

const isVisit = (request: Request): boolean =>
  ['GET', 'HEAD'].includes(request.method) &&
  !PROGRAMS.test(request.path) &&
  request.accepts('json', 'html') === 'html';

function dashboard(folder: string, sendShell: (response: Response) => void): Router {
  // This router ignores case and a trailing slash, as the router in the page does.
  const router = Router();
  const screens: Record<string, string> = JSON.parse(fs.readFileSync(`${folder}/screens.json`, 'utf8'));
  route(router, Object.values(screens), { get: (_request, response) => sendShell(response) });
  // The licences of what the bundles of both pages have inside.
  const licences = fs.readFileSync(`${folder}/licences.txt`);
  route(router, '/licences.txt', { get: (_request, response) => response.type('txt').send(licences) });
  const reference = fs.readFileSync(`${folder}/reference.html`, 'utf8');
  // Scalar adds style elements while the page runs. The sandbox gives it an origin of its own: whatever its code does,
  // no request of it carries the session, and it reads nothing that the dashboard stored.
  const policy = `${policyOf(reference, "'self' 'unsafe-inline'")}; sandbox allow-scripts allow-downloads`;
  route(router, '/docs', {
    get: (_request, response) => {
      response.setHeader('Content-Security-Policy', policy).type('html').send(reference);
    },
  });
  // Each file name contains a hash of the content, so browsers may keep the file. The sandbox loads them from outside.
  const setHeaders = (response: { setHeader(name: string, value: string): void }) => {
    response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
    response.setHeader('Access-Control-Allow-Origin', '*');
  };
  router.use(
    '/assets',
    sendCompressed(`${folder}/assets`),
    express.static(`${folder}/assets`, { setHeaders, index: false, redirect: false }),
  );
  return router;
}

export function pages(dashboardDir: string | undefined): Router {
  const router = Router({ caseSensitive: true, strict: true });

  route(router, '/favicon.ico', {
    get: (_request, response) => {
      response.setHeader('Cache-Control', 'public, max-age=86400').type('image/x-icon').send(FAVICON);
    },
  });

  const shell = dashboardDir && fs.readFileSync(`${dashboardDir}/index.html`, 'utf8');
  const policy = policyOf(shell ?? '');
  const sendShell = (response: Response) => {
    response.setHeader('Content-Security-Policy', policy).type('html').send(shell);
  };
  if (dashboardDir !== undefined) router.use(dashboard(dashboardDir, sendShell));
  else {
    const words = html`<p>The dashboard is not built. To build it, run <b>npm start</b>. For the API, see <a href="/openapi.json">/openapi.json</a>.</p>`;
    route(router, '/', { get: (_request, response) => sendPage(response, 200, 'Waypost runs', words) });
  }

  // The dashboard itself shows that a screen does not exist.
  router.use((request, response, next) => {
    if (shell !== undefined && isVisit(request)) sendShell(response.status(404));
    else next();
  });
  const unreadable: ErrorRequestHandler = (error, request, response, next) => {
    if (error instanceof URIError && shell !== undefined && isVisit(request)) sendShell(response.status(404));
    else next(error);
  };
  router.use(unreadable);
  return router;
}
