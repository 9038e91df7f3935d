import { hashSecret } from '../platform/hash-secret.ts';
import type { Origin } from '../platform/place.ts';
import { newSession, type SignedIn, type SignInDeps, sessionStarted } from './start-session.ts';

/** Resolves to undefined if the link is unknown, used, replaced or expired. */
export async function signInByLink(deps: SignInDeps, linkToken: string, origin: Origin): Promise<SignedIn | undefined> {
  const { token, session } = newSession(deps, 'sign_in_link', origin);
  const account = await deps.accounts.useSignInLink(hashSecret(linkToken), session, ({ id }) => [
    sessionStarted(id, session),
  ]);
  return account && { account, token };
}
