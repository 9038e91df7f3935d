/** The ways into the dashboard and out of it. What a session may do there are the endpoints of the API. */
import { type RequestHandler, Router } from 'express';
import Joi from 'joi';
import type { LinkApiDeps } from '../deps.ts';
import { text } from '../endpoints/fields.ts';
import { input, readBody } from '../endpoints/input.ts';
import { assertedPasskey } from '../endpoints/passkey-bodies.ts';
import { type AddressLimit, OF_ADDRESS } from '../limits.ts';
import { EMAIL_MAX } from '../use-cases/accounts.ts';
import { hashSecret } from '../use-cases/hash-secret.ts';
import { beginSignInByPasskey, signInByPasskey } from '../use-cases/passkeys.ts';
import { firstRun, type SignedIn, type SignInDeps, signIn } from '../use-cases/sign-in.ts';
import { goneSignal } from './answer-in-time.ts';
import { jsonBody } from './body.ts';
import { limitAddresses } from './per-address.ts';
import { route } from './route.ts';
import { refuseOtherSites } from './same-origin.ts';
import { replaceSession, sessionToken } from './session-cookie.ts';

/** Anybody may send one: no key is needed. */
const BODY_MAX = 16 * 1024;

const email = text.max(EMAIL_MAX);
const password = Joi.string<string>();
const credentials = input({ email, password });
const newAccount = input({ token: Joi.string<string>(), email, password });
const assertion = input({ passkey: assertedPasskey });

export function sessions(deps: LinkApiDeps & SignInDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });

  const atMost = (limit: AddressLimit): RequestHandler => {
    const count = limitAddresses(limit, deps);
    return (request, _response, next) => {
      count(request);
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
  const isSignedIn: RequestHandler = async (request, response) => {
    const token = sessionToken(request, deps.baseUrl);
    const caller = token && (await deps.sessions.authenticate(hashSecret(token), deps.now()));
    response.json({ signed_in: caller !== undefined });
  };
  const byPassword = start((given, gone) => signIn(deps, readBody(credentials, given), gone));
  const signOut: RequestHandler = async (request, response) => {
    await replaceSession(deps, request, response, undefined);
    response.json({ signed_out: true });
  };
  const options: RequestHandler = (_request, response) => {
    const provider = deps.byProvider && { name: deps.byProvider.provider.name };
    response.json({ provider: provider ?? null });
  };
  const byPasskey = start((given) => signInByPasskey(deps, readBody(assertion, given).passkey));
  const challenge: RequestHandler = async (_request, response) => {
    response.json(await beginSignInByPasskey(deps));
  };
  const firstAccount = start((given, gone) => firstRun(deps, readBody(newAccount, given), gone));

  route(router, '/session', {
    get: isSignedIn,
    post: [ours, atMost(OF_ADDRESS.signIns), body, byPassword],
    delete: [ours, signOut],
  });
  route(router, '/session/options', { get: options });
  route(router, '/session/passkey', { post: [ours, body, byPasskey] });
  route(router, '/session/passkey/challenge', { post: [ours, atMost(OF_ADDRESS.challenges), challenge] });
  route(router, '/first-run', { post: [ours, body, firstAccount] });
  return router;
}
