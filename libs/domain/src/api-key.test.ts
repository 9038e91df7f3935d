import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatApiKey, isApiKey, permits, SCOPES, scopesProblem } from './api-key.ts';

const secrets = fc.uint8Array({ minLength: 32, maxLength: 32 });

describe('an API key', () => {
  test('has a prefix, 256 random bits and a checksum', () => {
    const key = formatApiKey(new Uint8Array(32));
    expect(key).toMatch(/^wp_A{43}[A-Za-z0-9_-]{6}$/);
    fc.assert(
      fc.property(secrets, (secret) => {
        expect(isApiKey(formatApiKey(secret))).toBe(true);
      }),
    );
  });

  test('is refused if one character is changed, added or removed', () => {
    const character = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_ \n.=');
    fc.assert(
      fc.property(secrets, fc.nat(51), character, (secret, at, typed) => {
        const key = formatApiKey(secret);
        const [before, after] = [key.slice(0, at), key.slice(at + 1)];
        if (key[at] !== typed) expect(isApiKey(before + typed + after)).toBe(false);
        expect(isApiKey(before + after)).toBe(false);
        expect(isApiKey(before + typed + key.slice(at))).toBe(false);
      }),
    );
  });

  test.each(['', 'wp_', 'Bearer wp_', `wp_${'A'.repeat(49)}`, `WP_${'A'.repeat(49)}`])('is not %j', (text) => {
    expect(isApiKey(text)).toBe(false);
  });
});

describe('scopes', () => {
  test.each([
    [['read'], 'read', true],
    [['read'], 'write', false],
    [['write'], 'read', false],
    [['read', 'write'], 'write', true],
    [['read', 'write'], 'admin', false],
    [['admin'], 'read', true],
    [['admin'], 'write', true],
    [['admin'], 'admin', true],
    [[], 'read', false],
  ] as const)('%j permits %s: %s', (scopes, needed, expected) => {
    expect(permits(scopes, needed)).toBe(expected);
  });

  test('are read, write, both in any order, or admin alone (Authentication, rule 5)', () => {
    const valid = [['read'], ['write'], ['read', 'write'], ['write', 'read'], ['admin']];
    for (const scopes of valid) expect(scopesProblem(scopes)).toBeUndefined();
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...SCOPES, 'Read', 'all', ''), { maxLength: 4 }), (scopes) => {
        const isValid = valid.some((one) => one.join() === scopes.join());
        expect(scopesProblem(scopes) === undefined).toBe(isValid);
      }),
    );
  });

  test.each([
    [[], '1 or more'],
    [['write', 'admin'], 'must not combine admin with other scopes'],
    [['read', 'read'], 'twice'],
    [['read', 'delete'], 'but contains "delete"'],
  ])('%j: %s', (scopes, problem) => {
    expect(scopesProblem(scopes)).toContain(problem);
  });
});
