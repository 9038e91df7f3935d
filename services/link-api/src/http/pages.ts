/**
 * The pages of the public API listener until there is a dashboard: how to make an account and a key by command, and
 * the sign-in link, which says the same.
 */
import { createHash } from 'node:crypto';
import { type RequestHandler, type Response, Router } from 'express';
import type { LinkApiDeps } from '../deps.ts';
import { hashSecret } from '../use-cases/hash-secret.ts';
import { methodNotAllowed } from './errors.ts';

const STYLE = `:root{color-scheme:light dark;--bg:#f4f6f4;--surface:#fff;--line:#dce2de;--ink:#14201a;--ink2:#44524b;--board:#00663f;--accent:#00663f}
@media(prefers-color-scheme:dark){:root{--bg:#101513;--surface:#181e1b;--line:#2d3732;--ink:#e8eeea;--ink2:#b6c1ba;--board:#0b7a4c;--accent:#7fcfa6}}
*{box-sizing:border-box;margin:0}html{font:17px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;color:var(--ink);background:var(--bg)}
body{max-width:720px;margin:auto;padding:32px 24px}header{display:flex;align-items:center;gap:9px;font-weight:600;color:var(--ink2);margin-bottom:32px}header svg{color:var(--board)}
h1{font-size:30px;line-height:1.2;margin-bottom:14px;text-wrap:balance}h2{font-size:20px;margin:28px 0 8px}p{max-width:62ch;color:var(--ink2)}p+p,pre+p{margin-top:10px}
pre{margin-top:8px;padding:14px 16px;border:1px solid var(--line);border-radius:4px;background:var(--surface);overflow-x:auto;font:14px/1.5 ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace}
a{color:var(--accent)}button{margin-top:22px;min-height:46px;padding:8px 20px;border:0;border-radius:4px;background:var(--board);color:#fff;font:600 16px/1.3 inherit;font-family:inherit;cursor:pointer}
:focus-visible{outline:3px solid var(--accent);outline-offset:3px}`;

const POLICY = `default-src 'none'; img-src data:; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`;
const MARK = `<svg width="20" height="20" viewBox="0 0 24 24" fill="currentColor" aria-hidden="true"><path d="M10.7 1h2.5v2.5h4.25L22 7.2 17.5 11h-4.25v1.8h1.75V19.3H13.25V23h-2.5v-3.7H6.3L2 16.05l4.3-3.25h4.45V11H4V3.5h6.75z"/></svg>`;

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

function send(response: Response, status: number, title: string, body: string): void {
  response
    .status(status)
    .setHeader('Content-Security-Policy', POLICY)
    .type('html')
    .send(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><title>${title} · Waypost</title><link rel="icon" href="data:,"><style>${STYLE}</style></head><body><header>${MARK}Waypost</header><main><h1>${title}</h1>${body}</main></body></html>`,
    );
}

function steps(deps: LinkApiDeps, email: string, hasAccount: boolean): string {
  const account = hasAccount
    ? ''
    : '<h2>Make the first account</h2><p>It is the administrator of this Waypost.</p><pre>npm run -s waypost -- admin create-account --email you@example.org --admin</pre>';
  return `${account}<h2>Make an API key</h2><p>In the folder where Waypost runs. The key is shown once; we keep a fingerprint, not the key.</p>
<pre>npm run -s waypost -- admin create-key --email ${escapeHtml(email)} --name laptop --scopes read,write</pre>
<h2>Make a link</h2><pre>curl -X POST ${escapeHtml(deps.baseUrl)}/api/v1/links \\
  -H "Authorization: Bearer $WAYPOST_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"destination_url":"https://www.wikipedia.org/"}'</pre>
<p>Short links are served from <b>${escapeHtml(deps.redirectBaseUrl)}</b>. Everything else is in the <a href="/docs">API reference</a>.</p>`;
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
        `<p>There is no dashboard yet: accounts and keys are made by command.</p>${steps(deps, 'you@example.org', false)}`,
      );
    })
    .all((_request, response) => methodNotAllowed(response, 'GET, HEAD'));

  const gone = (response: Response) =>
    send(
      response,
      410,
      'This sign-in link does not work any more',
      '<p>It works once, for one hour, and only the newest one works. Make a new one where Waypost runs:</p><pre>npm run -s waypost -- admin sign-in-link --email you@example.org</pre>',
    );
  // Opening it only shows a button: a mail scanner or a preview that fetches the address does not use it up.
  const show: RequestHandler = async (request, response) => {
    const account = await deps.accounts.findSignInLink(hashSecret(String(request.params.token)), deps.now());
    if (account === undefined) return gone(response);
    send(
      response,
      200,
      'Sign in to Waypost',
      `<p>As <b>${escapeHtml(account.email)}</b>. This link works once.</p><form method="post"><button>Sign in</button></form>`,
    );
  };
  const use: RequestHandler = async (request, response) => {
    const account = await deps.accounts.useSignInLink(hashSecret(String(request.params.token)), deps.now());
    if (account === undefined) return gone(response);
    send(
      response,
      200,
      'Your account is ready',
      `<p>You are <b>${escapeHtml(account.email)}</b>${account.admin ? ', an administrator of this Waypost' : ''}. There is no dashboard yet: keys are made by command.</p>${steps(deps, account.email, true)}`,
    );
  };
  router
    .route('/sign-in/:token')
    .get(show)
    .post(use)
    .all((_request, response) => methodNotAllowed(response, 'GET, HEAD, POST'));

  return router;
}
