/** Passkeys in the browser. The library for them loads when the first one is asked for. */
import { ApiError, api } from './api.ts';
import { words } from './words.ts';

/** On https and localhost alone. */
export const hasPasskeys = 'PublicKeyCredential' in globalThis;

const webAuthn = () => import('@simplewebauthn/browser');

export async function signInByPasskey(): Promise<void> {
  const [{ startAuthentication }, optionsJSON] = await Promise.all([webAuthn(), api.askPasskey()]);
  const { id, response } = await startAuthentication({ optionsJSON }).catch(inOurWords);
  const { clientDataJSON, authenticatorData, signature, userHandle = '' } = response;
  await api.signInByPasskey({ id, response: { clientDataJSON, authenticatorData, signature, userHandle } });
}

export async function addPasskey(name: string): Promise<void> {
  const [{ startRegistration }, optionsJSON] = await Promise.all([webAuthn(), api.beginPasskey()]);
  const { id, response } = await startRegistration({ optionsJSON }).catch(inOurWords);
  const { clientDataJSON, attestationObject } = response;
  await api.createPasskey({ name, passkey: { id, response: { clientDataJSON, attestationObject } } });
}

/** What a browser says of its refusal is for developers. */
function inOurWords(error: unknown): never {
  const name = error instanceof Error ? error.name : '';
  const { cancelled, known, elsewhere } = words.passkeys;
  const isCancelled = name === 'NotAllowedError' || name === 'AbortError';
  const message = isCancelled ? cancelled : name === 'InvalidStateError' ? known : elsewhere;
  throw new ApiError(message, { code: 'passkey_refused', status: 400 });
}
