/** Signing in with a provider (OpenID Connect): to it, and back. */
import { html } from '@waypost/html';
import type { ConfiguredProvider } from '@waypost/ports';
import { type RequestHandler, Router } from 'express';
import type { LinkApiDeps } from '../deps.ts';
import { OF_ADDRESS, type TurnsByName } from '../limits.ts';
import type { SignInDeps } from '../use-cases/sign-in.ts';
import { signInByProvider } from '../use-cases/sign-in-by-provider.ts';
import { goneSignal } from './answer-in-time.ts';
import { HttpError, type TellError } from './errors.ts';
import { sendPage } from './page.ts';
import { limitAddresses } from './per-address.ts';
import { route } from './route.ts';
import { refuseOtherSites } from './same-origin.ts';
import { replaceSession, setSignInChecks, signInChecks } from './session-cookie.ts';

export function providerSignIn(
  deps: LinkApiDeps & SignInDeps & { readonly turns: TurnsByName },
  configured: ConfiguredProvider,
  tellError: TellError,
): Router {
  const { baseUrl } = deps;
  const redirectUrl = `${baseUrl}/session/oidc/callback`;
  const limit = limitAddresses(OF_ADDRESS.providerAnswers, deps);

  const begin: RequestHandler = async (_request, response) => {
    const { url, checks } = await configured.provider.begin(redirectUrl);
    setSignInChecks(response, baseUrl, checks);
    response.json({ url });
  };
  /** Where it leads afterwards is in nobody's hands: the answer names no address. */
  const finish: RequestHandler = async (request, response) => {
    try {
      const checks = signInChecks(request, baseUrl);
      if (checks === undefined)
        throw new HttpError(400, `This sign-in began in another browser or too long ago. Start again at ${baseUrl}`);
      limit(request);
      setSignInChecks(response, baseUrl, undefined);
      const callback = new URL(redirectUrl);
      callback.search = new URL(request.originalUrl, baseUrl).search;
      const release = await deps.turns.providerAnswers.take('all', goneSignal(response));
      const { token } = await signInByProvider(deps, configured, callback, checks).finally(release);
      await replaceSession(deps, request, response, token);
      response.redirect(303, '/');
    } catch (error) {
      if (response.headersSent || response.destroyed) return;
      const { body, retryAfter } = tellError(error, response);
      if (retryAfter !== undefined) response.setHeader('Retry-After', String(retryAfter));
      const number =
        body.error_id === undefined ? '' : html`<p>Tell your administrator this number: ${body.error_id}</p>`;
      sendPage(
        response,
        body.status,
        'You are not signed in',
        html`<p>${body.message}</p>${number}<p><a href="/">Back to the sign-in</a></p>`,
      );
    }
  };

  const router = Router({ caseSensitive: true, strict: true });
  route(router, '/session/oidc', { post: [refuseOtherSites(baseUrl), begin] });
  route(router, '/session/oidc/callback', { get: finish });
  return router;
}
