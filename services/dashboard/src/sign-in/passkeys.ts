/** The WebAuthn library is loaded only when a passkey is used. */
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import { ApiError, once } from '../api.ts';
import { words } from '../words.ts';

/** Browsers offer passkeys only on https and localhost. */
export const hasPasskeys = 'PublicKeyCredential' in globalThis;

const webAuthn = () => import('@simplewebauthn/browser');

async function passkeyAnswer() {
  const [{ startAuthentication }, options] = await Promise.all([webAuthn(), once.call('beginSignInByPasskey')]);
  const optionsJSON = options as PublicKeyCredentialRequestOptionsJSON;
  const { id, response } = await startAuthentication({ optionsJSON }).catch(inOurWords);
  const { clientDataJSON, authenticatorData, signature, userHandle = '' } = response;
  return { id, response: { clientDataJSON, authenticatorData, signature, userHandle } };
}

export const signInByPasskey = async () => once.call('signInByPasskey', { body: { passkey: await passkeyAnswer() } });
export const proveByPasskey = async () => once.call('proveSession', { body: { passkey: await passkeyAnswer() } });

export async function addPasskey(name: string): Promise<void> {
  const [{ startRegistration }, options] = await Promise.all([webAuthn(), once.call('beginPasskey')]);
  // The API document does not describe the options of WebAuthn, so the code states their type.
  const optionsJSON = options as PublicKeyCredentialCreationOptionsJSON;
  const { id, response } = await startRegistration({ optionsJSON }).catch(inOurWords);
  const { clientDataJSON, attestationObject } = response;
  const passkey = { id, response: { clientDataJSON, attestationObject } };
  await once.call('createPasskey', { body: { name, passkey } });
}

/** Replaces the browser's message, which is written for developers. Always throws an `ApiError`. */
function inOurWords(error: unknown): never {
  const name = error instanceof Error ? error.name : '';
  const t = words.passkeys;
  const isCancelled = name === 'NotAllowedError' || name === 'AbortError';
  const message = isCancelled ? t.cancelled : name === 'InvalidStateError' ? t.known : t.elsewhere;
  throw new ApiError(message, { code: 'passkey_refused', status: 400 });
}
