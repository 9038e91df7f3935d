/** This file does not import openid-client, because config.ts of each service imports this file. */
import { type Check, parseHosts, type Settings, setting } from '@waypost/settings';

function parseIssuer(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' || /[?#@\s]/.test(text))
    throw new Error('must be a URL like https://id.example.org, without a query');
  return text;
}

export const OIDC = {
  OIDC_ISSUER: setting
    .parsed('https URL', 'OpenID Connect provider for sign-in to the dashboard.', parseIssuer)
    .optional('no provider'),
  OIDC_CLIENT_ID: setting.text('Client id of this Waypost at the provider.').optional(),
  OIDC_CLIENT_SECRET: setting.secretText('Client secret of this Waypost at the provider.').optional(),
  OIDC_DISPLAY_NAME: setting.text('Name of the provider on the sign-in button.').default('single sign-on'),
  OIDC_ALLOWED_DOMAINS: setting
    .list('Domains whose verified e-mail addresses get an account at their first sign-in.', parseHosts)
    .default('none'),
  OIDC_LINK_BY_EMAIL: setting
    .oneOf('Whether a verified e-mail address signs in to the existing account with that address.', 'on', 'off')
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
    if (value === undefined && present.length > 0) fault(name, 'is required together with the other two of OIDC_');
};

export type OidcSettings = Settings<typeof OIDC>;
