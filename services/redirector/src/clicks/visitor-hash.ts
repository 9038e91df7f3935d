/**
 * The keyed hash of a visitor: the first 64 bits of HMAC-SHA-256 (RFC 2104). Two calls of `crypto.hash` take less than
 * half the time of `createHmac`.
 */
import { createHmac, hash } from 'node:crypto';

const BLOCK_BYTES = 64;
/** No slug with an address is longer than this. */
const TEXT_MAX = 256;

/** The returned function returns 16 lower-case hex digits for an ASCII text. */
export function visitorHash(secret: Uint8Array): (text: string) => string {
  const key = Buffer.alloc(BLOCK_BYTES);
  key.set(secret.length > BLOCK_BYTES ? hash('sha256', secret, 'buffer') : secret);
  const inner = Buffer.concat([key.map((byte) => byte ^ 0x36), Buffer.alloc(TEXT_MAX)]);
  // One view for each text length. Making a view for each click would take a seventh of the time of the hash.
  const inners = Array.from({ length: TEXT_MAX + 1 }, (_, length) => inner.subarray(0, BLOCK_BYTES + length));
  const outer = Buffer.concat([key.map((byte) => byte ^ 0x5c), Buffer.alloc(32)]);
  return (text) => {
    const message = inners[text.length];
    if (message === undefined) return createHmac('sha256', secret).update(text).digest('hex').slice(0, 16);
    message.write(text, BLOCK_BYTES, 'latin1');
    outer.write(hash('sha256', message, 'binary'), BLOCK_BYTES, 'latin1');
    return hash('sha256', outer, 'hex').slice(0, 16);
  };
}
