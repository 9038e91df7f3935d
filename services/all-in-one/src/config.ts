/** docs/operator-interface.md, Settings, describes each of these settings. */
import path from 'node:path';
import { checkMail, MAIL } from '@waypost/link-api/mail-settings';
import { checkOidc, OIDC } from '@waypost/link-api/oidc-settings';
import { COUNTRY_DB } from '@waypost/origin/countries';
import { REDIRECT_WORKERS } from '@waypost/redirector';
import { FEEDS, FEEDS_OFF, PROVIDERS, RULES_OFF } from '@waypost/scanner';
import {
  BASE_URLS,
  type Check,
  CREATIONS_PER_HOUR,
  DESTINATIONS,
  type Environment,
  PRIVACY_SIGNALS,
  PROCESS,
  readSettings,
  setting,
  TRUSTED_PROXIES,
  WEBHOOKS,
} from '@waypost/settings';
import { DATA_DIR } from './data-dir.ts';

export const SETTINGS = {
  ...PROCESS,
  PORT: setting.port('Port of the REST API, the dashboard, MCP and `/docs`.').default(8080),
  REDIRECT_PORT: setting.port('Port of short links.').default(8081),
  INTERNAL_PORT: setting.port('Port of the scanner call and metrics, on loopback only.').default(8090),
  BASE_URL: BASE_URLS.BASE_URL.optional('`http://localhost:$PORT`'),
  REDIRECT_BASE_URL: BASE_URLS.REDIRECT_BASE_URL.optional('`http://localhost:$REDIRECT_PORT`'),
  DATA_DIR,
  BACKUP_DIR: setting.folder('Folder for automatic backups (`docs/backup.md`).').optional('no automatic backups'),
  BACKUP_EVERY: setting.timeSpan('Interval of automatic backups.').default('1d'),
  BACKUP_ENCRYPT_TO: setting
    .text('Public keys of age, separated by commas, to which automatic backups are encrypted.')
    .optional('not encrypted'),
  BACKUP_KEEP: setting.wholeNumber('Number of automatic backups to keep.', 1, 1_000).default(7),
  CREATIONS_PER_HOUR,
  TRUSTED_PROXIES,
  REDIRECT_WORKERS,
  COUNTRY_DB,
  PRIVACY_SIGNALS,
  ...DESTINATIONS,
  ...WEBHOOKS,
  FEEDS,
  FEEDS_OFF,
  RULES_OFF,
  ...PROVIDERS,
  ...OIDC,
  ...MAIL,
};

const checkPorts: Check<typeof SETTINGS> = (read, fault) => {
  const ports = Object.entries({
    PORT: read.port,
    REDIRECT_PORT: read.redirectPort,
    INTERNAL_PORT: read.internalPort,
  });
  for (const [i, [name, port]] of ports.entries()) {
    const same = ports.slice(0, i).find(([, earlier]) => earlier === port);
    if (same !== undefined) fault(name, `must differ from ${same[0]}`);
  }
};

export type Config = ReturnType<typeof readConfig>;

/** Throws a `ConfigError` whose message names every fault. */
export function readConfig(environment: Environment) {
  const settings = readSettings(SETTINGS, environment, checkPorts, checkOidc, checkMail);
  return {
    ...settings,
    baseUrl: settings.baseUrl ?? `http://localhost:${settings.port}`,
    redirectBaseUrl: settings.redirectBaseUrl ?? `http://localhost:${settings.redirectPort}`,
    dataDir: path.resolve(settings.dataDir),
    backupDir: settings.backupDir === undefined ? undefined : path.resolve(settings.backupDir),
  };
}
