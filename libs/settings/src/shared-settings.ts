/** Several services read these settings. They are declared once, so that they mean the same everywhere. */
import { LIMITS, parseAllowed } from '@waypost/domain';
import { parseHosts, parseProxies, type Settings, setting } from './settings.ts';

/** Every process reads these. The OTEL_ settings are those of OpenTelemetry, so an empty value counts as missing. */
export const PROCESS = {
  HOST: setting
    .host('address to listen on; the images set `0.0.0.0`')
    .default('localhost', '`127.0.0.1`, and `::1` where there is IPv6'),
  LOG_LEVEL: setting.oneOf('the least that is logged', 'error', 'warn', 'info', 'debug').default('info'),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting
    .url('collector of spans, at `<endpoint>/v1/traces`')
    .optional('no spans are kept'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: setting.url('the same, with its path').optional('as above'),
  OTEL_EXPORTER_OTLP_HEADERS: setting
    .secretText('headers for the collector, like `api-key=…,tenant=…`')
    .optional('none'),
  OTEL_SERVICE_NAME: setting.text('the name of the process in its spans').optional('its own'),
  OTEL_RESOURCE_ATTRIBUTES: setting
    .text('attributes of all spans, like `deployment.environment.name=production`')
    .optional('none'),
  OTEL_SDK_DISABLED: setting.oneOf('`true`: no spans are kept', 'true', 'false').default('false'),
  OTEL_TRACES_SAMPLER_ARG: setting.share('share of traces whose spans are kept; the same everywhere').default('0.01'),
};
export type ProcessConfig = Settings<typeof PROCESS>;

/** Says what a redirector records of a visitor who sends `DNT: 1` or `Sec-GPC: 1` (docs/privacy.md). */
export const PRIVACY_SIGNALS = setting
  .oneOf('whether `DNT` and `Sec-GPC` of a visitor are honoured: `docs/privacy.md`', 'ignore', 'honour')
  .default('ignore');

export const BASE_URLS = {
  BASE_URL: setting.baseUrl('public address of the REST API; its host takes no links'),
  REDIRECT_BASE_URL: setting.baseUrl('public address of short links; its host takes no links'),
};

export const DESTINATIONS = {
  DESTINATION_HOSTS_ALLOWED: setting
    .list('host names and CIDRs that would be refused otherwise, such as an intranet', parseAllowed)
    .default('none'),
  OWN_HOSTS: setting
    .list(
      'hosts, with their subdomains, to which links are refused beside those of the base URLs; `/mcp` answers to them',
      parseHosts,
    )
    .default('none'),
};

export const WEBHOOKS = {
  WEBHOOK_HOSTS_ALLOWED: setting
    .list('host names and CIDRs of webhooks that would be refused otherwise, also by plain http', parseAllowed)
    .default('none'),
  WEBHOOK_CONCURRENCY: setting.wholeNumber('messages that a process sends to webhooks at once', 2, 1_000).default(32),
};

export const CREATIONS_PER_HOUR = setting
  .wholeNumber('links that an account may create in an hour, unless it has a limit of its own', 1, 999_999_999)
  .default(LIMITS.creationsPerHour);

export const TRUSTED_PROXIES = setting
  .list('IP addresses and CIDRs whose `X-Forwarded-For` is believed; `127.0.0.1` stands for `::1` too', parseProxies)
  .default('none');

export const OPERATOR_SOCKET = setting.socket('where operator commands are answered').default('none');
