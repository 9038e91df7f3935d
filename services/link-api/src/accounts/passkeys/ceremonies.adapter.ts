import { CHALLENGE_MS } from './challenges.ts';
import type { Ceremonies, PasskeyAssertion, PasskeyCreation } from './passkeys.port.ts';

/** A passkey replaces a password, so it must verify its user and be discoverable. No attestation is requested. */
export function webAuthnCeremonies(baseUrl: string): Ceremonies {
  const { hostname: rpID, origin: expectedOrigin } = new URL(baseUrl);
  const expected = { expectedRPID: rpID, expectedOrigin, requireUserVerification: true } as const;

  return {
    creationOptions: async (account, existingIds, challenge) => {
      const { generateRegistrationOptions } = await webAuthn();
      return generateRegistrationOptions({
        challenge: new Uint8Array(challenge),
        rpName: 'Waypost',
        rpID,
        userID: new TextEncoder().encode(account.id),
        userName: account.email,
        attestationType: 'none',
        excludeCredentials: existingIds.map((id) => ({ id })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        timeout: CHALLENGE_MS,
      });
    },
    signInOptions: async (challenge) => {
      const { generateAuthenticationOptions } = await webAuthn();
      return generateAuthenticationOptions({
        challenge: new Uint8Array(challenge),
        rpID,
        userVerification: 'required',
        timeout: CHALLENGE_MS,
      });
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

/** The library is imported on first use, because it takes time and memory. */
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

/** The library throws for every invalid answer, so an exception here means that the answer is refused. */
async function unlessRefused<T extends { readonly verified: boolean }>(verifying: Promise<T>) {
  try {
    return await verifying;
  } catch {
    return { verified: false } as { readonly verified: false } & { readonly [N in keyof T]?: undefined };
  }
}

/** If a stranger's answer had a certificate, the library would fetch a revocation list from the URL in it. */
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
