/** The providers that the operator has a key for. */
import { NO_ALLOWED_HOSTS, parseAllowed } from '@waypost/domain';
import { type Settings, setting } from '@waypost/settings';
import type { Logger } from '@waypost/telemetry';
import { phishtank, urlhaus } from './by-url.ts';
import { type Calls, providerCalls } from './call.ts';
import { googleSafeBrowsing, googleWebRisk } from './google-hashes.ts';
import type { ThreatProvider } from './provider.ts';

const NOT_USED = 'not used';

export const PROVIDERS = {
  GOOGLE_WEB_RISK_KEY: setting
    .secretText('API key of Google Web Risk. Sends hash prefixes of destinations.')
    .optional(NOT_USED),
  GOOGLE_SAFE_BROWSING_KEY: setting
    .secretText('API key of Google Safe Browsing, for non-commercial use only. Sends hash prefixes of destinations.')
    .optional(NOT_USED),
  URLHAUS_KEY: setting.secretText('Auth-Key of URLhaus. Sends full destinations.').optional(NOT_USED),
  PHISHTANK_KEY: setting.secretText('API key of PhishTank. Sends full destinations.').optional(NOT_USED),
  PROVIDERS_URL: setting
    .url(
      'Your gateway to the providers. Its paths are `/google-web-risk`, `/google-safe-browsing`, `/urlhaus` and `/phishtank`.',
    )
    .optional('direct requests'),
  PROVIDER_REQUESTS_PER_MINUTE: setting.wholeNumber('Requests per minute to each provider.', 1, 100_000).default(120),
};
export type ProviderSettings = Settings<typeof PROVIDERS>;

interface Deps {
  readonly logger: Pick<Logger, 'warn'>;
  readonly now: () => Date;
}

type Make = (deps: { readonly calls: Calls; readonly key: string; readonly now: () => Date }) => ThreatProvider;

export function providersFrom(settings: ProviderSettings, { logger, now }: Deps): ThreatProvider[] {
  const { providersUrl, providerRequestsPerMinute: perMinute } = settings;
  const gateway = providersUrl?.replace(/\/$/, '');
  // The operator chose the gateway, so it may be on an intranet.
  const allowed = gateway === undefined ? NO_ALLOWED_HOSTS : parseAllowed([new URL(gateway).hostname]);
  const providers: readonly [name: string, key: string | undefined, address: string, make: Make][] = [
    ['google-web-risk', settings.googleWebRiskKey, 'https://webrisk.googleapis.com', googleWebRisk],
    ['google-safe-browsing', settings.googleSafeBrowsingKey, 'https://safebrowsing.googleapis.com', googleSafeBrowsing],
    ['urlhaus', settings.urlhausKey, 'https://urlhaus-api.abuse.ch', urlhaus],
    ['phishtank', settings.phishtankKey, 'https://checkurl.phishtank.com', phishtank],
  ];
  return providers.flatMap(([name, key, address, make]) => {
    if (key === undefined) return [];
    const baseUrl = gateway === undefined ? address : `${gateway}/${name}`;
    return make({ calls: providerCalls({ name, baseUrl, perMinute, logger, allowed }), key, now });
  });
}
