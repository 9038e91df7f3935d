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
