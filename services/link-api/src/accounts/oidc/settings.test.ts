import { expect, test } from '@jest/globals';
import { readSettings } from '@waypost/settings';
import { checkOidc, OIDC } from './settings.ts';

const read = (environment: Record<string, string>) => readSettings(OIDC, environment, checkOidc);
const GIVEN = {
  OIDC_ISSUER: 'https://id.example.org/realms/people',
  OIDC_CLIENT_ID: 'waypost',
  OIDC_CLIENT_SECRET: 'of the client',
};

test('single sign-on is off unless it is set', () => {
  expect(read({})).toEqual({ oidcDisplayName: 'single sign-on', oidcAllowedDomains: [], oidcLinkByEmail: 'off' });
  expect(read(GIVEN)).toMatchObject({ oidcIssuer: GIVEN.OIDC_ISSUER, oidcAllowedDomains: [], oidcLinkByEmail: 'off' });
  expect(read({ ...GIVEN, OIDC_ALLOWED_DOMAINS: 'Example.ORG' }).oidcAllowedDomains).toEqual(['example.org']);
});

test('all three settings are required, and the message contains no secret', () => {
  const { OIDC_ISSUER, OIDC_CLIENT_SECRET } = GIVEN;
  expect(() => read({ OIDC_ISSUER })).toThrow(/OIDC_CLIENT_ID is required[\s\S]*OIDC_CLIENT_SECRET is required/);
  expect(() => read({ OIDC_CLIENT_SECRET })).toThrow(/OIDC_ISSUER is required/);
  expect(() => read({ OIDC_CLIENT_SECRET })).not.toThrow(/of the client/);
});

test.each([
  'http://id.example.org',
  'id.example.org',
  'https://id.example.org/?a=b',
  'https://user:password@id.example.org',
  '',
])('the issuer %p is refused', (OIDC_ISSUER) => {
  expect(() => read({ ...GIVEN, OIDC_ISSUER })).toThrow(/OIDC_ISSUER/);
});
