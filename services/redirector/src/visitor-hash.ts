/**
 * The keyed hash of a visitor: the first 64 bits of HMAC-SHA-256 (RFC 2104). Two calls of `crypto.hash` over buffers
 * that hold the key take less than half of what `createHmac` with a KeyObject takes on Node 24.
 */
import { createHmac, hash } from 'node:crypto';

/** Returns 16 lower-case hex digits for an ASCII text. */
export type VisitorHash = (text: string) => string;

const BLOCK_BYTES = 64;
/** Longer than any slug with an address. */
const TEXT_MAX = 256;

export function visitorHash(secret: Uint8Array): VisitorHash {
  const key = Buffer.alloc(BLOCK_BYTES);
  key.set(secret.length > BLOCK_BYTES ? hash('sha256', secret, 'buffer') : secret);
  const inner = Buffer.concat([key.map((byte) => byte ^ 0x36), Buffer.alloc(TEXT_MAX)]);
  // By the length of the text: making one for each click would cost a seventh of the whole.
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
