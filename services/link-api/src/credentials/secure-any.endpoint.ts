import { accountOf, changeOfAccount, emailParam } from '../accounts/index.ts';
import { actorOf } from '../platform/caller.ts';
import { endpoint } from '../platform/endpoint.ts';
import { answers, body, examples, presentCredentials, removalOf } from './credentials.schema.ts';
import type { CredentialsPorts } from './ports.ts';
import { secureAccount } from './secure.ts';

export const secureAnyAccountEndpoint = endpoint({
  id: 'secureAnyAccount',
  method: 'POST',
  path: '/admin/accounts/:email/secure',
  scope: 'admin',
  audited: changeOfAccount('account.secured'),
  summary: 'Throw everybody out of an account',
  description:
    'Ends every session and an unused sign-in link, and removes what you name. Its owner then needs a sign-in link, if nothing else is left. The answer lists what is left.',
  params: { email: emailParam },
  body,
  examples,
  answers,
  errors: ['account_not_found', 'credential_not_found'],
  means: { 404: 'There is no such account, or an id is none of the account. Nothing was done.' },
  cli: 'waypost admin secure-account --email ada@example.org --password --yes',
  handle: async ({ caller, params, body }, deps: CredentialsPorts) => {
    const { id } = await accountOf(deps, params.email);
    await secureAccount(deps, id, removalOf(body), actorOf(caller));
    return presentCredentials(deps, id);
  },
});
