import { checkKafka, KAFKA } from '@waypost/adapter-kafka/settings';
import { checkRedis, REDIS } from '@waypost/adapter-redis';
import { COUNTRY_DB } from '@waypost/origin/countries';
import { POSTGRES } from '@waypost/postgres';
import {
  BASE_URLS,
  type Environment,
  PRIVACY_SIGNALS,
  PROCESS,
  readSettings,
  setting,
  TRUSTED_PROXIES,
} from '@waypost/settings';
import { REDIRECT_WORKERS } from './threads/redirect-workers.ts';

/** Parses a contact for security.txt (RFC 9116), which is an e-mail address or an https page. */
export function contactFrom(text: string): string {
  if (text.length <= 300 && /^(mailto:)?[^\s@<>,;:]{1,64}@[^\s@<>,;:]{1,255}$/i.test(text)) return text;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHere = url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url?.protocol === 'https:' || isHere) return text;
  throw new Error('must be an e-mail address or a URL that begins with https://');
}

export const SETTINGS = {
  ...PROCESS,
  PORT: setting.port('Port of short links.').default(8081),
  INTERNAL_PORT: setting.port('Internal port of health and metrics.').default(8091),
  REDIRECT_BASE_URL: BASE_URLS.REDIRECT_BASE_URL,
  REPORT_BASE_URL: setting
    .parsed('URL without a path, or `none`', 'Where visitors report links: the `BASE_URL` of the API.', (text) =>
      text === 'none' ? undefined : BASE_URLS.BASE_URL.parse(text),
    )
    .default('none'),
  CONTACT: setting.parsed(
    'e-mail address or https URL',
    'Contact for abuse reports, shown in security.txt.',
    contactFrom,
  ),
  ...POSTGRES,
  DATABASE_READ_URL: setting
    .address(
      'Address of a standby of PostgreSQL, for look-ups of links (`deploy/run.md`).',
      POSTGRES.DATABASE_URL.parse,
    )
    .optional('all look-ups go to `DATABASE_URL`'),
  ...REDIS,
  ...KAFKA,
  VISITOR_SECRET: setting.rotatingSecret(
    'Key of the visitor hash, the same for all redirectors. To rotate it, see `deploy/run.md`.',
  ),
  CLICK_LOG_DIR: setting.folder('Folder for the click log. Each process needs its own, which must survive restarts.'),
  CLICK_LOG_MAX_BYTES: setting
    .wholeNumber('Maximum size of the click log, in bytes.', 1024 ** 2, 1024 ** 5)
    .default(10 * 1024 ** 3),
  TRUSTED_PROXIES,
  REDIRECT_WORKERS,
  WHEN_CUT_OFF: setting
    .oneOf(
      'Without PostgreSQL: redirect by what Redis has, or refuse with 503, so that no missed revoke redirects (`docs/regions.md`).',
      'redirect',
      'refuse',
    )
    .default('redirect'),
  COUNTRY_DB,
  PRIVACY_SIGNALS,
};

export const redirectorConfig = (environment: Environment) =>
  readSettings(SETTINGS, environment, checkKafka, checkRedis);
