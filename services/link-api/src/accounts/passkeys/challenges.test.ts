import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { CHALLENGE_MS, expiryOf, newChallenge } from './challenges.ts';

const [key, otherKey] = [randomBytes(32), randomBytes(32)];
const secret = async () => key;
const NOON = new Date('2026-11-21T12:00:00.000Z');
const later = (ms: number) => new Date(NOON.getTime() + ms);

test('a challenge is valid for five minutes, for its account, and with the secret that signed it', async () => {
  const challenge = await newChallenge(secret, 'ada', NOON);
  expect(await expiryOf(challenge, secret, 'ada', later(CHALLENGE_MS - 1))).toEqual(later(CHALLENGE_MS));
  expect(await expiryOf(challenge, secret, 'ada', later(CHALLENGE_MS))).toBeUndefined();
  for (const other of ['bob', null]) expect(await expiryOf(challenge, secret, other, NOON)).toBeUndefined();
  expect(await expiryOf(challenge, async () => otherKey, 'ada', NOON)).toBeUndefined();
  expect(await expiryOf(await newChallenge(secret, null, NOON), secret, null, NOON)).toEqual(later(CHALLENGE_MS));
});

test('a challenge that is changed in any bit, cut or longer is not valid', async () => {
  const challenge = await newChallenge(secret, null, NOON);
  for (let bit = 0; bit < 8 * challenge.length; bit++) {
    const changed = Buffer.from(challenge);
    changed[bit >> 3]! ^= 1 << (bit & 7);
    expect(await expiryOf(changed, secret, null, NOON)).toBeUndefined();
  }
  for (let length = 0; length < challenge.length; length++)
    expect(await expiryOf(challenge.subarray(0, length), secret, null, NOON)).toBeUndefined();
  expect(await expiryOf(Buffer.concat([challenge, Buffer.of(0)]), secret, null, NOON)).toBeUndefined();
});

test('two challenges of the same moment differ', async () => {
  const [one, other] = [await newChallenge(secret, null, NOON), await newChallenge(secret, null, NOON)];
  expect(one.equals(other)).toBe(false);
});
