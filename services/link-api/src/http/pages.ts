/** What the public API listener shows to people: the dashboard, the API reference, and the page of a sign-in link. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { FAVICON, html } from '@waypost/html';
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express';
import type { LinkApiDeps } from '../deps.ts';
import { hashSecret } from '../use-cases/hash-secret.ts';
import { type SignInDeps, signInByLink } from '../use-cases/sign-in.ts';
import { sendPage } from './page.ts';
import { route } from './route.ts';
import { refuseOtherSites } from './same-origin.ts';
import { replaceSession } from './session-cookie.ts';

/** No inline script but those of the page itself, nothing from elsewhere, in nobody's frame. */
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

/** Sends the compressed twin that the build put beside a file, to a browser that takes it. */
function compressed(folder: string): RequestHandler {
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

/** What programs ask for: an error there stays JSON. */
const PROGRAMS = /^\/(?:api|assets|mcp)(?:\/|$)/;

/** Whether a person opened this address in a browser. */
const isVisit = (request: Request): boolean =>
  ['GET', 'HEAD'].includes(request.method) &&
  !PROGRAMS.test(request.path) &&
  request.accepts('json', 'html') === 'html';

function dashboard(folder: string, sendShell: (response: Response) => void): Router {
  // Neither case nor a slash at the end matters, as to the router in the page.
  const router = Router();
  const screens: Record<string, string> = JSON.parse(fs.readFileSync(`${folder}/screens.json`, 'utf8'));
  route(router, Object.values(screens), { get: (_request, response) => sendShell(response) });
  const reference = fs.readFileSync(`${folder}/reference.html`, 'utf8');
  // Scalar adds elements of style as it runs.
  const policy = policyOf(reference, "'self' 'unsafe-inline'");
  route(router, '/docs', {
    get: (_request, response) => {
      response.setHeader('Content-Security-Policy', policy).type('html').send(reference);
    },
  });
  // Their names have the hash of what is in them.
  const setHeaders = (response: { setHeader(name: string, value: string): void }) =>
    response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
  router.use(
    '/assets',
    compressed(`${folder}/assets`),
    express.static(`${folder}/assets`, { setHeaders, index: false, redirect: false }),
  );
  return router;
}

export function pages(deps: LinkApiDeps & SignInDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });

  route(router, '/favicon.ico', {
    get: (_request, response) => {
      response.setHeader('Cache-Control', 'public, max-age=86400').type('image/x-icon').send(FAVICON);
    },
  });

  const { dashboardDir } = deps;
  const shell = dashboardDir && fs.readFileSync(`${dashboardDir}/index.html`, 'utf8');
  const policy = policyOf(shell ?? '');
  const sendShell = (response: Response) => {
    response.setHeader('Content-Security-Policy', policy).type('html').send(shell);
  };
  if (dashboardDir !== undefined) router.use(dashboard(dashboardDir, sendShell));
  else {
    const words = html`<p>Its dashboard was not built: <b>npm start</b> does that. The API is described in <a href="/openapi.json">/openapi.json</a>.</p>`;
    route(router, '/', { get: (_request, response) => sendPage(response, 200, 'Waypost runs', words) });
  }

  const gone = (response: Response) =>
    sendPage(
      response,
      410,
      'This sign-in link does not work any more',
      html`<p>It works once, for one hour, and only the newest one works. Make a new one where Waypost runs:</p><pre>npm run -s waypost -- admin sign-in-link --email you@example.org</pre>`,
    );
  // Opening it only shows a button: a mail scanner or a preview that fetches the address does not use it up.
  const show: RequestHandler = async (request, response) => {
    const account = await deps.accounts.findSignInLink(hashSecret(String(request.params.token)), deps.now());
    if (account === undefined) return gone(response);
    // With `no-referrer` a browser would send `Origin: null` with the form.
    response.setHeader('Referrer-Policy', 'same-origin');
    sendPage(
      response,
      200,
      'Sign in to Waypost',
      html`<p>As <b>${account.email}</b>. This link works once.</p><form method="post"><button>Sign in</button></form>`,
    );
  };
  const use: RequestHandler = async (request, response) => {
    const signedIn = await signInByLink(deps, String(request.params.token));
    if (signedIn === undefined) return gone(response);
    await replaceSession(deps, request, response, signedIn.token);
    response.redirect(303, '/');
  };
  route(router, '/sign-in/:token', { get: show, post: [refuseOtherSites(deps.baseUrl), use] });

  // The page itself says that there is no such screen.
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
