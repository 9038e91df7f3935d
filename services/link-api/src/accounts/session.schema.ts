import Joi from 'joi';
import { Reply } from '../platform/endpoint.ts';
import { named } from '../platform/fields.ts';
import { newDevice } from './device.ts';
import type { AccountsPorts } from './ports.ts';
import { deviceCookie, replaceSession } from './session-cookie.ts';
import type { SignedIn } from './start-session.ts';

const SIGNED_IN = { email: 'ada@example.org', admin: false };

export const signedIn = {
  200: {
    means: 'Signed in. The cookie of the response carries the session.',
    schema: named('SignedIn', 'The account that is signed in.', { email: Joi.string(), admin: Joi.boolean() }),
    examples: { Account: SIGNED_IN },
  },
} as const;

/** Ends the earlier session of the browser. A device cookie lets it sign in even if others guess the password. */
export async function cookiesOf(deps: AccountsPorts, sent: string | undefined, { account, token }: SignedIn) {
  const device = await newDevice(deps.secret, account.email);
  return [await replaceSession(deps, sent, token), deviceCookie(deps.baseUrl, device)];
}

export async function sessionOf(deps: AccountsPorts, sent: string | undefined, begun: SignedIn) {
  const { email, admin } = begun.account;
  return new Reply(200, { email, admin }, { 'Set-Cookie': await cookiesOf(deps, sent, begun) });
}
