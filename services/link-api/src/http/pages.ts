/**
 * The pages of the public API listener until there is a dashboard: how to create an account and a key by command, and
 * the sign-in link, which shows the same.
 */
import { type Html, html, MARK, NOTHING, page, stylesheet } from '@waypost/html';
import { type RequestHandler, type Response, Router } from 'express';
import type { LinkApiDeps } from '../deps.ts';
import { hashSecret } from '../use-cases/hash-secret.ts';
import { methodNotAllowed } from './errors.ts';

const STYLE = stylesheet(new URL('./pages.css', import.meta.url), 'img-src data:', "form-action 'self'");

function send(response: Response, status: number, title: string, body: Html): void {
  response
    .status(status)
    .setHeader('Content-Security-Policy', STYLE.contentSecurityPolicy)
    .type('html')
    .send(
      page({
        language: 'en',
        title: `${title} · Waypost`,
        style: STYLE,
        body: html`<header>${MARK}Waypost</header><main><h1>${title}</h1>${body}</main>`,
      }),
    );
}

function steps(deps: LinkApiDeps, email: string, hasAccount: boolean): Html {
  const account = hasAccount
    ? NOTHING
    : html`<h2>Make the first account</h2><p>It is the administrator of this Waypost.</p><pre>npm run -s waypost -- admin create-account --email you@example.org --admin</pre>`;
  return html`${account}<h2>Make an API key</h2><p>In the folder where Waypost runs. The key is shown once; we keep a fingerprint, not the key.</p>
<pre>npm run -s waypost -- admin create-key --email ${email} --name laptop --scopes read,write</pre>
<h2>Make a link</h2><pre>curl -X POST ${deps.baseUrl}/api/v1/links \\
  -H "Authorization: Bearer $WAYPOST_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"destination_url":"https://www.wikipedia.org/"}'</pre>
<p>Short links are served from <b>${deps.redirectBaseUrl}</b>. Everything else is in the <a href="/docs">API reference</a>.</p>`;
}

export function pages(deps: LinkApiDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });

  router
    .route('/')
    .get((_request, response) => {
      send(
        response,
        200,
        'Waypost runs',
        html`<p>There is no dashboard yet: accounts and keys are made by command.</p>${steps(deps, 'you@example.org', false)}`,
      );
    })
    .all((_request, response) => methodNotAllowed(response, 'GET, HEAD'));

  const gone = (response: Response) =>
    send(
      response,
      410,
      'This sign-in link does not work any more',
      html`<p>It works once, for one hour, and only the newest one works. Make a new one where Waypost runs:</p><pre>npm run -s waypost -- admin sign-in-link --email you@example.org</pre>`,
    );
  // Opening it only shows a button: a mail scanner or a preview that fetches the address does not use it up.
  const show: RequestHandler = async (request, response) => {
    const account = await deps.accounts.findSignInLink(hashSecret(String(request.params.token)), deps.now());
    if (account === undefined) return gone(response);
    send(
      response,
      200,
      'Sign in to Waypost',
      html`<p>As <b>${account.email}</b>. This link works once.</p><form method="post"><button>Sign in</button></form>`,
    );
  };
  const use: RequestHandler = async (request, response) => {
    const account = await deps.accounts.useSignInLink(hashSecret(String(request.params.token)), deps.now());
    if (account === undefined) return gone(response);
    send(
      response,
      200,
      'Your account is ready',
      html`<p>You are <b>${account.email}</b>${account.admin ? ', an administrator of this Waypost' : ''}. There is no dashboard yet: keys are made by command.</p>${steps(deps, account.email, true)}`,
    );
  };
  router
    .route('/sign-in/:token')
    .get(show)
    .post(use)
    .all((_request, response) => methodNotAllowed(response, 'GET, HEAD, POST'));

  return router;
}
