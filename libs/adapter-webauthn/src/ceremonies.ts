import type { Ceremonies, PasskeyAssertion, PasskeyCreation } from '@waypost/ports';

/** Long enough to find a phone or a security key. */
const CEREMONY_MS = 5 * 60_000;

/**
 * WebAuthn for the pages at `baseUrl`. A passkey stands for a password, so each ceremony asks for a verified user, and
 * each credential is discoverable. Nobody is asked which authenticator it was.
 */
export function webAuthnCeremonies(baseUrl: string): Ceremonies {
  const { hostname: rpID, origin: expectedOrigin } = new URL(baseUrl);
  const expected = { expectedRPID: rpID, expectedOrigin, requireUserVerification: true } as const;

  return {
    creationOptions: async (account, known) => {
      const { generateRegistrationOptions } = await webAuthn();
      return generateRegistrationOptions({
        rpName: 'Waypost',
        rpID,
        userID: new TextEncoder().encode(account.id),
        userName: account.email,
        attestationType: 'none',
        excludeCredentials: known.map((id) => ({ id })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        timeout: CEREMONY_MS,
      });
    },
    signInOptions: async () => {
      const { generateAuthenticationOptions } = await webAuthn();
      return generateAuthenticationOptions({ rpID, userVerification: 'required', timeout: CEREMONY_MS });
    },
    challengeOf,
    created: async (answer, expectedChallenge) => {
      const { verifyRegistrationResponse } = await webAuthn();
      if (!(await isUncertified(answer))) return undefined;
      const { registrationInfo } = await unlessRefused(
        verifyRegistrationResponse({ ...expected, expectedChallenge, response: asSent(answer) }),
      );
      if (registrationInfo === undefined) return undefined;
      const { id, publicKey, counter } = registrationInfo.credential;
      return { credentialId: id, publicKey: Buffer.from(publicKey), counter };
    },
    asserted: async (answer, expectedChallenge, { credentialId, publicKey, counter, account }) => {
      if (Buffer.from(answer.response.userHandle, 'base64url').toString() !== account.id) return undefined;
      const { verifyAuthenticationResponse } = await webAuthn();
      const { verified, authenticationInfo } = await unlessRefused(
        verifyAuthenticationResponse({
          ...expected,
          expectedChallenge,
          response: asSent(answer),
          credential: { id: credentialId, publicKey: new Uint8Array(publicKey), counter },
        }),
      );
      return verified ? authenticationInfo?.newCounter : undefined;
    },
  };
}

/** With the first passkey: the library takes time and memory to load. */
const webAuthn = () => import('@simplewebauthn/server');

const asSent = <A extends PasskeyCreation | PasskeyAssertion>(answer: A) => ({
  ...answer,
  rawId: answer.id,
  type: 'public-key' as const,
  clientExtensionResults: {},
});

function challengeOf({ response }: PasskeyCreation | PasskeyAssertion): string | undefined {
  try {
    const { challenge } = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString());
    return typeof challenge === 'string' ? challenge : undefined;
  } catch {
    return undefined;
  }
}

/** The library throws whatever is wrong with an answer. */
async function unlessRefused<T extends { readonly verified: boolean }>(verifying: Promise<T>) {
  try {
    return await verifying;
  } catch {
    return { verified: false } as { readonly verified: false } & { readonly [N in keyof T]?: undefined };
  }
}

/** A certificate that a stranger sends would make the library fetch its revocation list, from wherever it says. */
async function isUncertified({ response }: PasskeyCreation): Promise<boolean> {
  const { decodeAttestationObject, isoBase64URL } = await import('@simplewebauthn/server/helpers');
  try {
    const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject));
    const format = attestation.get('fmt');
    return format === 'none' || (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined);
  } catch {
    return false;
  }
}
