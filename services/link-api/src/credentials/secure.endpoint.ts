import { ATTEMPTS, accountOf, beginSession, changeOfAccount, emailParam, sessionCookie } from '../accounts/index.ts';
import { countAttempt } from '../platform/attempts.ts';
import { actorOf, ownSession } from '../platform/caller.ts';
import { endpoint, Reply } from '../platform/endpoint.ts';
import { hashSecret } from '../platform/hash-secret.ts';
import { answers, body, examples, presentCredentials, removalOf } from './credentials.schema.ts';
import type { CredentialsPorts } from './ports.ts';
import { secureAccount } from './secure.ts';

export const secureAccountEndpoint = endpoint({
  id: 'secureAccount',
  method: 'POST',
  path: '/account/secure',
  scope: 'write',
  session: 'needed',
  proof: true,
  summary: 'Secure your account',
  description:
    'Removes intruders from your account. Ends every session, invalidates an unused sign-in link, and removes the credentials and webhooks that you name. This browser gets a new session. The response lists what remains.',
  body,
  examples,
  answers,
  errors: ['credential_not_found', 'too_many_attempts'],
  means: { 404: 'Your account has no credential or webhook with one of the IDs. Nothing was changed.' },
  handle: async ({ caller, body, origin }, deps: CredentialsPorts) => {
    const { via } = ownSession(caller);
    // Others who signed in too often as this account must not delay its owner.
    const secured = hashSecret(`secure ${caller.accountId}`);
    await countAttempt(deps, secured, ATTEMPTS.sessions, 'Too many attempts. Try again in a few minutes.');
    await secureAccount(deps, caller.accountId, removalOf(body), actorOf(caller));
    const account = await deps.accounts.own(caller.accountId);
    const { token } = await beginSession(deps, account, { via, origin: origin() });
    const remaining = await presentCredentials(deps, caller.accountId, hashSecret(token));
    return new Reply(200, remaining, { 'Set-Cookie': sessionCookie(deps.baseUrl, token) });
  },
});

export const secureAnyAccountEndpoint = endpoint({
  id: 'secureAnyAccount',
  method: 'POST',
  path: '/admin/accounts/:email/secure',
  scope: 'admin',
  audited: changeOfAccount('account.secured'),
  summary: 'Secure an account',
  description:
    'Removes intruders from an account. Ends every session, invalidates an unused sign-in link, and removes the credentials and webhooks that you name. If no credential remains, the owner needs a new sign-in link. The response lists what remains.',
  params: { email: emailParam },
  body,
  examples,
  answers,
  errors: ['account_not_found', 'credential_not_found'],
  means: {
    404: 'The account was not found, or it has no credential or webhook with one of the IDs. Nothing was changed.',
  },
  cli: 'waypost admin secure-account --email ada@example.org --password --yes',
  handle: async ({ caller, params, body }, deps: CredentialsPorts) => {
    const { id } = await accountOf(deps, params.email);
    await secureAccount(deps, id, removalOf(body), actorOf(caller));
    return presentCredentials(deps, id);
  },
});
