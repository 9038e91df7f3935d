/** The ways into the dashboard and out of it. What a session may do there are the endpoints of the API. */
import { type RequestHandler, Router } from 'express';
import Joi from 'joi';
import type { LinkApiDeps } from '../deps.ts';
import { text } from '../endpoints/fields.ts';
import { input, readBody } from '../endpoints/input.ts';
import { assertedPasskey } from '../endpoints/passkey-bodies.ts';
import { EMAIL_MAX } from '../use-cases/accounts.ts';
import { hashSecret } from '../use-cases/hash-secret.ts';
import { beginSignInByPasskey, signInByPasskey } from '../use-cases/passkeys.ts';
import { firstRun, type SignedIn, type SignInDeps, signIn } from '../use-cases/sign-in.ts';
import { goneSignal } from './answer-in-time.ts';
import { jsonBody } from './body.ts';
import { methodNotAllowed } from './errors.ts';
import { limitPerMinute } from './per-address.ts';
import { refuseOtherSites } from './same-origin.ts';
import { replaceSession, sessionToken } from './session-cookie.ts';

/** Anybody may send one: no key is needed. */
const BODY_MAX = 16 * 1024;

/** What one address may ask for in a minute, in this process: each is a row, and a sign-in by password a hash as well. */
const CHALLENGES_PER_MINUTE = 60;
const SIGN_INS_PER_MINUTE = 200;

const email = text.max(EMAIL_MAX);
const password = Joi.string<string>();
const credentials = input({ email, password });
const firstAccount = input({ token: Joi.string<string>(), email, password });
const assertion = input({ passkey: assertedPasskey });

export function sessions(deps: LinkApiDeps & SignInDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });

  const atMost = (perMinute: number): RequestHandler => {
    const limit = limitPerMinute(perMinute, deps);
    return (request, _response, next) => {
      limit(request);
      next();
    };
  };
  const ours = refuseOtherSites(deps.baseUrl);
  const body = jsonBody(BODY_MAX);
  const start =
    (begin: (body: unknown, gone: AbortSignal) => Promise<SignedIn>): RequestHandler =>
    async (request, response) => {
      const { account, token } = await begin(request.body, goneSignal(response));
      await replaceSession(deps, request, response, token);
      response.json({ email: account.email, admin: account.admin });
    };

  // The page asks before it asks for the account: to be signed out is no error.
  router.get('/session', async (request, response) => {
    const token = sessionToken(request, deps.baseUrl);
    const caller = token && (await deps.sessions.authenticate(hashSecret(token), deps.now()));
    response.json({ signed_in: caller !== undefined });
  });
  router
    .route('/session')
    .all(ours)
    .post(
      atMost(SIGN_INS_PER_MINUTE),
      body,
      start((given, gone) => signIn(deps, readBody(credentials, given), gone)),
    )
    .delete(async (request, response) => {
      await replaceSession(deps, request, response, undefined);
      response.json({ signed_out: true });
    })
    .all((_request, response) => methodNotAllowed(response, 'DELETE, GET, HEAD, POST'));
  router
    .route('/session/options')
    .get((_request, response) => {
      const provider = deps.byProvider && { name: deps.byProvider.provider.name };
      response.json({ provider: provider ?? null });
    })
    .all((_request, response) => methodNotAllowed(response, 'GET, HEAD'));
  router
    .route('/session/passkey')
    .all(ours)
    .post(
      body,
      start((given) => signInByPasskey(deps, readBody(assertion, given).passkey)),
    )
    .all((_request, response) => methodNotAllowed(response, 'POST'));
  router
    .route('/session/passkey/challenge')
    .all(ours)
    .post(atMost(CHALLENGES_PER_MINUTE), async (_request, response) => {
      response.json(await beginSignInByPasskey(deps));
    })
    .all((_request, response) => methodNotAllowed(response, 'POST'));
  router
    .route('/first-run')
    .all(ours)
    .post(
      body,
      start((given, gone) => firstRun(deps, readBody(firstAccount, given), gone)),
    )
    .all((_request, response) => methodNotAllowed(response, 'POST'));
  return router;
}
