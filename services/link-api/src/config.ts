import { CLICKHOUSE, checkClickHouse } from '@waypost/adapter-clickhouse';
import { checkKafka, KAFKA } from '@waypost/adapter-kafka/settings';
import { checkRedis, REDIS } from '@waypost/adapter-redis';
import { ownHostOf, type UrlPolicy } from '@waypost/domain';
import { COUNTRY_DB } from '@waypost/origin/countries';
import { POSTGRES } from '@waypost/postgres';
import {
  BASE_URLS,
  CREATIONS_PER_HOUR,
  DESTINATIONS,
  type Environment,
  OPERATOR_SOCKET,
  PROCESS,
  readSettings,
  type Settings,
  setting,
  TRUSTED_PROXIES,
  WEBHOOKS,
} from '@waypost/settings';
import { getDomain } from 'tldts';
import { checkOidc, OIDC } from './accounts/oidc/settings.ts';
import { checkMail, MAIL } from './notices/settings.ts';

export const SETTINGS = {
  ...PROCESS,
  PORT: setting.port('Port of the REST API, the dashboard, MCP and `/docs`.').default(8080),
  INTERNAL_PORT: setting.port('Internal port of health and metrics.').default(8090),
  ...BASE_URLS,
  ...POSTGRES,
  ...REDIS,
  ...KAFKA,
  ...CLICKHOUSE,
  ...OIDC,
  SCANNER_URL: setting.url('Address of the scanner, with its internal port.'),
  OPERATOR_SOCKET,
  CREATIONS_PER_HOUR,
  TRUSTED_PROXIES,
  COUNTRY_DB,
  ...DESTINATIONS,
  ...WEBHOOKS,
  ...MAIL,
};

export const linkApiConfig = (environment: Environment) =>
  readSettings(SETTINGS, environment, checkKafka, checkClickHouse, checkRedis, checkOidc, checkMail);

export const urlPolicy = (config: Settings<typeof SETTINGS>): UrlPolicy => ({
  registrableDomain: (host) =>
    getDomain(host, { extractHostname: false, validateHostname: false, allowPrivateDomains: false }),
  ownHosts: [ownHostOf(config.baseUrl), ownHostOf(config.redirectBaseUrl), ...config.ownHosts],
  allowed: config.destinationHostsAllowed,
});
