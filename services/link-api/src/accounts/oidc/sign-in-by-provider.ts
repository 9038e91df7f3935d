/** Signs people in with an identity of an OpenID Connect provider, and chooses the account (decision 0027). */
import { type Actor, DomainError } from '@waypost/domain';
import { aboutAccount } from '../../audit/index.ts';
import type { Account } from '../accounts.port.ts';
import { assertEmail } from '../accounts.ts';
import { type SignedIn, type SignInDeps, startSession } from '../sign-in.ts';
import type {
  ConfiguredProvider,
  Identities,
  Identity,
  ProviderPolicy,
  SignInChecks,
} from './identity-provider.port.ts';

interface Deps extends SignInDeps {
  readonly identities: Identities;
}

const PROVIDER: Actor = { accountId: null, via: 'provider', credential: null };

const identityRefused = (why: string) => new DomainError('identity_refused', why);

/** Throws `credentials_wrong`, `identity_refused` (with a message for the person) and `unavailable`. */
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
  const linked = await deps.identities.find(identity);
  if (linked !== undefined) return linked;
  const { email } = identity;
  if (email === undefined) throw identityRefused('The provider does not confirm your e-mail address.');
  const account = await accountByEmail(deps, policy, email);
  if (!(await deps.identities.link(account.id, identity))) {
    // A concurrent request may have linked the identity, or the address may now belong to another person.
    const linked = await deps.identities.find(identity);
    if (linked === undefined) throw identityRefused(`The account ${account.email} belongs to another identity.`);
    return linked;
  }
  return account;
}

async function accountByEmail({ accounts }: Deps, policy: ProviderPolicy, email: string): Promise<Account> {
  assertEmail(email);
  const account = await accounts.findByEmail(email);
  if (account !== undefined) {
    if (policy.linkByEmail) return account;
    throw identityRefused(`There is an account with the address ${email} already: sign in to it in another way.`);
  }
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  if (!policy.allowedDomains.includes(domain))
    throw identityRefused(`There is no account for ${email}. Ask the operator of this Waypost.`);
  // The operator creates the first account, which is an administrator's.
  if (!(await accounts.any()))
    throw identityRefused('This Waypost has no account yet: the first one is made by its operator.');
  return accounts.create({ email, admin: false, passwordHash: null }, ({ id }) => [
    aboutAccount(PROVIDER, 'account.created', id, ''),
  ]);
}
