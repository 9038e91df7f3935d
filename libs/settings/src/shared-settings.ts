/** Several services read these settings. They are declared once, so that they mean the same everywhere. */
import { LIMITS, parseAllowed } from '@waypost/domain';
import { parseHosts, parseProxies, type Settings, setting } from './settings.ts';

/** Every process reads these. The OTEL_ settings are those of OpenTelemetry, so an empty value counts as missing. */
export const PROCESS = {
  HOST: setting
    .host('Address to listen on. The images set `0.0.0.0`.')
    .default('localhost', '`127.0.0.1`, and `::1` where there is IPv6'),
  LOG_LEVEL: setting.oneOf('Lowest level that is logged.', 'error', 'warn', 'info', 'debug').default('info'),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting
    .url('OpenTelemetry collector. Spans are sent to `<endpoint>/v1/traces`.')
    .optional('no spans are recorded'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: setting
    .url('OpenTelemetry collector, as the full URL for spans.')
    .optional('from `OTEL_EXPORTER_OTLP_ENDPOINT`'),
  OTEL_EXPORTER_OTLP_HEADERS: setting
    .secretText('Headers for the collector, like `api-key=…,tenant=…`.')
    .optional('none'),
  OTEL_SERVICE_NAME: setting.text('Service name in spans.').optional('name of the process'),
  OTEL_RESOURCE_ATTRIBUTES: setting
    .text('Attributes of all spans, like `deployment.environment.name=production`.')
    .optional('none'),
  OTEL_SDK_DISABLED: setting.oneOf('Set `true` to record no spans.', 'true', 'false').default('false'),
  OTEL_TRACES_SAMPLER_ARG: setting
    .share('Share of traces that are recorded. Use the same value for all processes.')
    .default('0.01'),
};
export type ProcessConfig = Settings<typeof PROCESS>;

/** Says what a redirector records of a visitor who sends `DNT: 1` or `Sec-GPC: 1` (docs/privacy.md). */
export const PRIVACY_SIGNALS = setting
  .oneOf("Whether visitors' `DNT` and `Sec-GPC` headers are honored (`docs/privacy.md`).", 'ignore', 'honour')
  .default('ignore');

export const BASE_URLS = {
  BASE_URL: setting.baseUrl('Public address of the REST API. Links to its host are refused.'),
  REDIRECT_BASE_URL: setting.baseUrl('Public address of short links. Links to its host are refused.'),
};

export const DESTINATIONS = {
  DESTINATION_HOSTS_ALLOWED: setting
    .list(
      'Host names and CIDRs that are allowed as destinations although not public, such as an intranet.',
      parseAllowed,
    )
    .default('none'),
  OWN_HOSTS: setting
    .list(
      'More hosts of this service. Links to them and their subdomains are refused, and `/mcp` accepts them as its host.',
      parseHosts,
    )
    .default('none'),
};

export const WEBHOOKS = {
  WEBHOOK_HOSTS_ALLOWED: setting
    .list('Host names and CIDRs that are allowed for webhooks although not public, also over plain http.', parseAllowed)
    .default('none'),
  WEBHOOK_CONCURRENCY: setting
    .wholeNumber('Webhook messages that a process sends at the same time.', 2, 1_000)
    .default(32),
};

export const CREATIONS_PER_HOUR = setting
  .wholeNumber('Links that an account may create per hour, unless it has its own limit.', 1, 999_999_999)
  .default(LIMITS.creationsPerHour);

export const TRUSTED_PROXIES = setting
  .list(
    'IP addresses and CIDRs of proxies whose `X-Forwarded-For` is trusted. `127.0.0.1` includes `::1`.',
    parseProxies,
  )
  .default('none');

export const OPERATOR_SOCKET = setting.socket('Socket that accepts operator commands.').default('none');
