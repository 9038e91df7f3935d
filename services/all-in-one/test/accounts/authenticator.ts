/** Imitates an authenticator and its browser. It makes passkeys and signs with them, also as an attacker would. */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
const base64url = (data: Buffer) => data.toString('base64url');

type Cbor = number | string | Buffer | readonly Cbor[] | ReadonlyMap<string | number, Cbor>;

/** Encodes a value as RFC 8949 says, with only the types that an attestation needs. */
function cbor(value: Cbor): Buffer {
  const head = (major: number, n: number) =>
    n < 24
      ? Buffer.of((major << 5) | n)
      : n < 256
        ? Buffer.of((major << 5) | 24, n)
        : Buffer.of((major << 5) | 25, n >> 8, n & 255);
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map)
    return Buffer.concat([head(5, value.size), ...[...value].flatMap(([name, each]) => [cbor(name), cbor(each)])]);
  const list = value as readonly Cbor[];
  return Buffer.concat([head(4, list.length), ...list.map(cbor)]);
}

const PRESENT = 1;
const VERIFIED = 4;
const ATTESTED = 64;

export interface Ceremony {
  readonly origin: string;
  readonly rpId: string;
  readonly challenge: string;
  readonly userVerified?: boolean;
  readonly counter?: number;
}

export function passkey() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(32);

  const clientData = (type: string, { challenge, origin }: Ceremony) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const authenticatorData = ({ rpId, userVerified = true, counter = 0 }: Ceremony, more: Buffer = Buffer.alloc(0)) => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const flags = PRESENT | (userVerified ? VERIFIED : 0) | (more.length > 0 ? ATTESTED : 0);
    return Buffer.concat([sha256(rpId), Buffer.of(flags), count, more]);
  };

  return {
    id: base64url(id),
    /** Returns what `navigator.credentials.create()` would return. */
    create: (ceremony: Ceremony, attestation: readonly [string, ReadonlyMap<string, Cbor>] = ['none', new Map()]) => {
      const cose = new Map<number, Cbor>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x!, 'base64url')],
        [-3, Buffer.from(y!, 'base64url')],
      ]);
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.of(0, id.length), id, cbor(cose)]);
      const attestationObject = cbor(
        new Map<string, Cbor>([
          ['fmt', attestation[0]],
          ['attStmt', attestation[1]],
          ['authData', authenticatorData(ceremony, credential)],
        ]),
      );
      return {
        id: base64url(id),
        response: {
          clientDataJSON: base64url(clientData('webauthn.create', ceremony)),
          attestationObject: base64url(attestationObject),
        },
      };
    },
    /** Returns what `navigator.credentials.get()` would return. */
    sign: (ceremony: Ceremony, accountId: string) => {
      const signed = clientData('webauthn.get', ceremony);
      const data = authenticatorData(ceremony);
      return {
        id: base64url(id),
        response: {
          clientDataJSON: base64url(signed),
          authenticatorData: base64url(data),
          signature: base64url(sign('sha256', Buffer.concat([data, sha256(signed)]), privateKey)),
          userHandle: base64url(Buffer.from(accountId)),
        },
      };
    },
  };
}
