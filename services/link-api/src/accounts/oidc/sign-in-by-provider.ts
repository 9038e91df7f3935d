/** Signs people in with an identity of an OpenID Connect provider, and chooses the account (decision 0027). */
import { type Actor, DomainError } from '@waypost/domain';
import { type AuditNote, aboutAccount } from '../../audit/index.ts';
import { actorOf, type Caller, isProven, proofNeeded, sessionEnded } from '../../platform/caller.ts';
import type { Origin } from '../../platform/place.ts';
import type { Account } from '../accounts.port.ts';
import { assertEmail } from '../accounts.ts';
import { proven } from '../prove-session.ts';
import { type SignInDeps, startSession } from '../start-session.ts';
import type {
  BegunSignIn,
  ConfiguredProvider,
  Identities,
  Identity,
  LinkedIdentity,
  ProviderPolicy,
} from './identity-provider.port.ts';

interface Deps extends SignInDeps {
  readonly identities: Identities;
}

const PROVIDER: Actor = { accountId: null, via: 'provider', credential: null };

const identityRefused = (why: string) => new DomainError('identity_refused', why);

const linked = (by: Actor, accountId: string, { id, issuer }: LinkedIdentity): AuditNote => ({
  by,
  action: 'identity.linked',
  subject: id,
  accountId,
  detail: issuer,
});

/**
 * Does what the person began: a sign-in, a proof or a link. Resolves to the token of the session. Throws
 * `credentials_wrong`, `proof_needed`, `identity_refused` (with a message for the person) and `unavailable`.
 */
export async function finishAtProvider(
  deps: Deps,
  { provider, ...policy }: ConfiguredProvider,
  callback: URL,
  begun: BegunSignIn,
  origin: Origin,
): Promise<string | undefined> {
  const identity = await provider.finish(callback, begun);
  if (identity === undefined)
    throw new DomainError(
      'credentials_wrong',
      `The response of ${provider.name} is not valid. Start the sign-in again.`,
    );
  if (begun.purpose === 'sign-in') {
    const account = await accountFor(deps, policy, identity);
    const { token } = await startSession(deps, account, { via: 'provider', origin });
    // The `Strict` cookie of the earlier session does not come with a navigation that another site began.
    if (begun.session !== undefined) await deps.sessions.end(begun.session);
    return token;
  }
  const caller = begun.session && (await deps.sessions.authenticate(begun.session, deps.now()));
  if (caller?.session === undefined || caller.suspension !== undefined) throw sessionEnded();
  const owner = await deps.identities.find(identity);
  if (begun.purpose === 'prove') {
    if (owner?.id !== caller.accountId) throw identityRefused('This identity does not belong to your account.');
    return proven(deps, caller.session.tokenHash);
  }
  if (!isProven(caller, deps.now())) throw proofNeeded();
  if (owner?.id !== caller.accountId) await linkIn(deps, caller, identity);
  return undefined;
}

async function linkIn({ identities }: Deps, caller: Caller, identity: Identity): Promise<void> {
  const { accountId } = caller;
  if (await identities.link(accountId, identity, (row) => [linked(actorOf(caller), accountId, row)])) return;
  throw identityRefused(
    'Your account already has an identity of this provider, or this identity belongs to another account.',
  );
}

/** Throws `identity_not_found`. */
export function removeIdentity(
  { identities }: { readonly identities: Pick<Identities, 'remove'> },
  accountId: string,
  id: string,
  by: Actor,
): Promise<void> {
  return identities.remove(accountId, id, ({ issuer }) => [
    { by, action: 'identity.removed', subject: id, accountId, detail: issuer },
  ]);
}

async function accountFor(deps: Deps, policy: ProviderPolicy, identity: Identity): Promise<Account> {
  const owner = await deps.identities.find(identity);
  if (owner !== undefined) return owner;
  const { email } = identity;
  if (email === undefined)
    throw identityRefused('The provider has not verified your e-mail address. Verify it there, then sign in again.');
  const account = await accountByEmail(deps, policy, email);
  if (!(await deps.identities.link(account.id, identity, (row) => [linked(PROVIDER, account.id, row)]))) {
    // A concurrent request may have linked the identity, or the address may now belong to another person.
    const owner = await deps.identities.find(identity);
    if (owner === undefined)
      throw identityRefused(`The account ${account.email} is already connected to another identity.`);
    return owner;
  }
  return account;
}

async function accountByEmail({ accounts }: Deps, policy: ProviderPolicy, email: string): Promise<Account> {
  assertEmail(email);
  const account = await accounts.findByEmail(email);
  if (account !== undefined) {
    // A provider that is mistaken about one address must not give away the whole installation.
    if (policy.linkByEmail && account.admin)
      throw identityRefused(
        `${email} is an administrator. Sign in another way, then connect the provider in the settings.`,
      );
    if (policy.linkByEmail) return account;
    throw identityRefused(`An account with the e-mail address ${email} already exists. Sign in to it another way.`);
  }
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  if (!policy.allowedDomains.includes(domain))
    throw identityRefused(`There is no account for ${email}. Ask the operator of this installation to create one.`);
  // The operator creates the first account, which is an administrator's.
  if (!(await accounts.any()))
    throw identityRefused('This installation has no accounts yet. Its operator creates the first one.');
  return accounts.create({ email, admin: false, passwordHash: null }, ({ id }) => [
    aboutAccount(PROVIDER, 'account.created', id, ''),
  ]);
}
