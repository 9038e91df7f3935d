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

export async function sessionOf(
  deps: AccountsPorts,
  earlier: string | undefined,
  { account: { email, admin }, token }: SignedIn,
) {
  const device = deviceCookie(deps.baseUrl, await newDevice(deps.secret, email));
  return new Reply(200, { email, admin }, { 'Set-Cookie': [await replaceSession(deps, earlier, token), device] });
}
