/** The ways into the dashboard and out of it. What a session may do there are the endpoints of the API. */
import { type RequestHandler, Router } from 'express';
import Joi from 'joi';
import type { LinkApiDeps } from '../deps.ts';
import { input, readBody } from '../endpoints/input.ts';
import { hashSecret } from '../use-cases/hash-secret.ts';
import { firstRun, type SignedIn, type SignInDeps, signIn } from '../use-cases/sign-in.ts';
import { goneSignal } from './answer-in-time.ts';
import { jsonBody } from './body.ts';
import { methodNotAllowed } from './errors.ts';
import { isFromNoBrowser, requireSameOrigin } from './same-origin.ts';
import { sessionToken, setSessionCookie } from './session-cookie.ts';

const credentials = input({ email: Joi.string<string>(), password: Joi.string<string>() });
const firstAccount = input({
  token: Joi.string<string>(),
  email: Joi.string<string>(),
  password: Joi.string<string>(),
});

export function sessions(deps: LinkApiDeps & SignInDeps): Router {
  const { baseUrl } = deps;
  const router = Router({ caseSensitive: true, strict: true });

  const ours: RequestHandler = (request, _response, next) => {
    if (!isFromNoBrowser(request)) requireSameOrigin(request, baseUrl);
    next();
  };
  const start =
    (begin: (body: unknown, gone: AbortSignal) => Promise<SignedIn>): RequestHandler =>
    async (request, response) => {
      const { account, token } = await begin(request.body, goneSignal(response));
      await endGiven(request);
      setSessionCookie(response, baseUrl, token);
      response.json({ email: account.email, admin: account.admin });
    };
  /** Of the session under which somebody signs in again, or out. */
  const endGiven = async (request: Parameters<RequestHandler>[0]) => {
    const token = sessionToken(request, baseUrl);
    if (token !== undefined) await deps.sessions.end(hashSecret(token));
  };

  router
    .route('/session')
    .all(ours)
    .post(
      jsonBody,
      start((body, gone) => signIn(deps, readBody(credentials, body), gone)),
    )
    .delete(async (request, response) => {
      await endGiven(request);
      setSessionCookie(response, baseUrl, undefined);
      response.json({ signed_out: true });
    })
    .all((_request, response) => methodNotAllowed(response, 'DELETE, POST'));
  router
    .route('/first-run')
    .all(ours)
    .post(
      jsonBody,
      start((body, gone) => firstRun(deps, readBody(firstAccount, body), gone)),
    )
    .all((_request, response) => methodNotAllowed(response, 'POST'));
  return router;
}
