import { html } from '@waypost/html';
import { type RequestHandler, Router } from 'express';
import { requestSignal } from '../../platform/http/answer-in-time.ts';
import { HttpError, type ReportError } from '../../platform/http/errors.ts';
import { type OriginPorts, origins } from '../../platform/http/origin.ts';
import { sendPage } from '../../platform/http/page.ts';
import { limitAddresses } from '../../platform/http/per-address.ts';
import { placeOf } from '../../platform/http/place-of.ts';
import { route } from '../../platform/http/route.ts';
import { PROVIDER_ANSWERS, PROVIDER_ANSWERS_OF_ADDRESS } from '../limits.ts';
import type { AccountsPorts } from '../ports.ts';
import { checksCookie, sessionCookie, signInChecks } from '../session-cookie.ts';
import { CALLBACK_PATH } from './begin.endpoint.ts';
import type { ConfiguredProvider } from './identity-provider.port.ts';
import { finishAtProvider } from './sign-in-by-provider.ts';

export function providerSignIn(
  deps: AccountsPorts & OriginPorts,
  configured: ConfiguredProvider,
  reportError: ReportError,
): Router {
  const { baseUrl } = deps;
  const redirectUrl = `${baseUrl}${CALLBACK_PATH}`;
  const originOf = origins(deps);
  const limit = limitAddresses(PROVIDER_ANSWERS_OF_ADDRESS, deps.now);

  /** No parameter names the page to show next, so an attacker cannot redirect to another site. */
  const finish: RequestHandler = async (request, response) => {
    const place = placeOf(response);
    try {
      const { cookie } = request.headers;
      const checks = signInChecks(cookie, baseUrl);
      if (checks === undefined)
        throw new HttpError(
          400,
          `This sign-in has expired, or was started in another browser. Start again at ${baseUrl}`,
        );
      limit(place);
      response.append('Set-Cookie', checksCookie(baseUrl, undefined));
      const callback = new URL(redirectUrl);
      callback.search = new URL(request.originalUrl, baseUrl).search;
      place.leave();
      const release = await deps.slotsOf(PROVIDER_ANSWERS).take(place.site, requestSignal(response));
      const token = await finishAtProvider(deps, configured, callback, checks, originOf(request)).finally(release);
      if (token !== undefined) response.append('Set-Cookie', sessionCookie(baseUrl, token));
      response.redirect(303, '/');
    } catch (error) {
      if (response.headersSent || response.destroyed) return;
      const { body, retryAfter } = reportError(error, response);
      if (retryAfter !== undefined) response.setHeader('Retry-After', String(retryAfter));
      const number =
        body.error_id === undefined
          ? ''
          : html`<p>If this continues, give your administrator this error ID: ${body.error_id}</p>`;
      sendPage(
        response,
        body.status,
        'You are not signed in',
        html`<p>${body.message}</p>${number}<p><a href="/">Back to the sign-in page</a></p>`,
      );
    }
  };

  const router = Router({ caseSensitive: true, strict: true });
  route(router, CALLBACK_PATH, { get: finish });
  return router;
}
