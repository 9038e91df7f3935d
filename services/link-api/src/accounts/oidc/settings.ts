/** This file does not import openid-client, because config.ts of each service imports this file. */
import { type Check, parseHosts, type Settings, setting } from '@waypost/settings';

function parseIssuer(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' || /[?#@\s]/.test(text))
    throw new Error('must be like https://id.example.org, without a query');
  return text;
}

export const OIDC = {
  OIDC_ISSUER: setting
    .parsed('https URL', 'OpenID Connect provider, by which people may sign in to the dashboard', parseIssuer)
    .optional('no provider'),
  OIDC_CLIENT_ID: setting.text('the name of this Waypost at the provider').optional(),
  OIDC_CLIENT_SECRET: setting.secretText('the password of this Waypost at the provider').optional(),
  OIDC_DISPLAY_NAME: setting.text('what the button calls the provider').default('single sign-on'),
  OIDC_ALLOWED_DOMAINS: setting
    .list('domains whose verified addresses get an account at their first sign-in by the provider', parseHosts)
    .default('none'),
  OIDC_LINK_BY_EMAIL: setting
    .oneOf('whether a verified address opens the account that has it already', 'on', 'off')
    .default('off'),
};

export const checkOidc: Check<typeof OIDC> = (read, fault) => {
  const needed = {
    OIDC_ISSUER: read.oidcIssuer,
    OIDC_CLIENT_ID: read.oidcClientId,
    OIDC_CLIENT_SECRET: read.oidcClientSecret,
  };
  const present = Object.values(needed).filter((value) => value !== undefined);
  for (const [name, value] of Object.entries(needed))
    if (value === undefined && present.length > 0) fault(name, 'must be given with the other two of OIDC_');
};

export type OidcSettings = Settings<typeof OIDC>;
