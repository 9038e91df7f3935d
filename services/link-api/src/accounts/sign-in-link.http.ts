import { html } from '@waypost/html';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { hashSecret } from '../platform/hash-secret.ts';
import { type OriginPorts, origins } from '../platform/http/origin.ts';
import { sendPage } from '../platform/http/page.ts';
import { route } from '../platform/http/route.ts';
import { refuseOtherSites } from '../platform/http/same-origin.ts';
import type { AccountsPorts } from './ports.ts';
import { cookiesOf } from './session.schema.ts';
import { newSession, sessionStarted } from './start-session.ts';

const tokenHashOf = ({ params }: Request) => hashSecret(String(params.token));

export function signInLink(deps: AccountsPorts & OriginPorts): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const originOf = origins(deps);
  const sendExpired = (response: Response) =>
    sendPage(
      response,
      410,
      'This sign-in link has expired',
      html`<p>A sign-in link works once, within one hour, and a new one replaces it. Create a new one where Waypost runs:</p><pre>npm run -s waypost -- admin sign-in-link --email you@example.org</pre>`,
    );
  // GET only shows a button, because a mail scanner may open the address and must not use the link up.
  const show: RequestHandler = async (request, response) => {
    const account = await deps.accounts.findSignInLink(tokenHashOf(request), deps.now());
    if (account === undefined) return sendExpired(response);
    // With `no-referrer`, the browser would send `Origin: null` with the form, which the check of the origin may
    // refuse.
    response.setHeader('Referrer-Policy', 'same-origin');
    sendPage(
      response,
      200,
      'Sign in to Waypost',
      html`<p>You sign in as <b>${account.email}</b>. This link works once.</p><form method="post"><button>Sign in</button></form>`,
    );
  };
  const use: RequestHandler = async (request, response) => {
    const { token, session } = newSession(deps, 'sign_in_link', originOf(request));
    const account = await deps.accounts.useSignInLink(tokenHashOf(request), session, ({ id }) => [
      sessionStarted(id, session),
    ]);
    if (account === undefined) return sendExpired(response);
    // The owner may have been locked out before: the new password must work in this browser at once.
    response.append('Set-Cookie', await cookiesOf(deps, request.headers.cookie, { account, token }));
    response.redirect(303, '/');
  };
  route(router, '/sign-in/:token', { get: show, post: [refuseOtherSites(deps.baseUrl), use] });
  return router;
}
