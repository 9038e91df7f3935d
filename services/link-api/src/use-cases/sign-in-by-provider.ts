/** Signing in with an identity at a provider (OpenID Connect), and whose account it opens (decision 0027). */
import { type Actor, DomainError } from '@waypost/domain';
import type { Account, ConfiguredProvider, Identities, Identity, ProviderPolicy, SignInChecks } from '@waypost/ports';
import { assertEmail } from './accounts.ts';
import { type SignedIn, type SignInDeps, startSession } from './sign-in.ts';

interface Deps extends SignInDeps {
  readonly identities: Identities;
}

const PROVIDER: Actor = { accountId: null, via: 'provider', credential: null };

const refused = (why: string) => new DomainError('identity_refused', why);

/** Throws `credentials_wrong`, `identity_refused` with words for the person, and `unavailable`. */
export async function signInByProvider(
  deps: Deps,
  { provider, ...policy }: ConfiguredProvider,
  callback: URL,
  checks: SignInChecks,
): Promise<SignedIn> {
  const identity = await provider.finish(callback, checks);
  if (identity === undefined)
    throw new DomainError('credentials_wrong', `The answer of ${provider.name} does not fit. Start again.`);
  return startSession(deps, await accountFor(deps, policy, identity));
}

async function accountFor(deps: Deps, policy: ProviderPolicy, identity: Identity): Promise<Account> {
  const known = await deps.identities.find(identity);
  if (known !== undefined) return known;
  const { email } = identity;
  if (email === undefined) throw refused('The provider does not confirm your e-mail address.');
  const account = await accountByEmail(deps, policy, email);
  if (!(await deps.identities.link(account.id, identity))) {
    // A request at the same time may have linked it; or the address has gone to another person at the provider.
    const linked = await deps.identities.find(identity);
    if (linked === undefined) throw refused(`The account ${account.email} belongs to another identity.`);
    return linked;
  }
  return account;
}

async function accountByEmail({ accounts }: Deps, policy: ProviderPolicy, email: string): Promise<Account> {
  assertEmail(email);
  const account = await accounts.findByEmail(email);
  if (account !== undefined) {
    if (policy.linkByEmail) return account;
    throw refused(`There is an account with the address ${email} already: sign in to it in another way.`);
  }
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  if (!policy.allowedDomains.includes(domain))
    throw refused(`There is no account for ${email}. Ask whoever runs this Waypost.`);
  // The first account is an administrator's, who has the address that the terminal printed.
  if (!(await accounts.any())) throw refused('This Waypost has no account yet: the first one is made by its operator.');
  return accounts.create({ email, admin: false, passwordHash: null }, PROVIDER);
}
