/** The limits are described in docs/contract.md (Limits). */
import { PERIODS, TOP_N } from './analytics.ts';
import { CUSTOM_SLUG_MAX, CUSTOM_SLUG_MIN, GENERATED_SLUG_LENGTH } from './slug.ts';

export const LIMITS = {
  creationsPerHour: 300,
  linksPerBulkRequest: 500,
  /**
   * Addresses that dry runs and checks of an account may scan. The dashboard checks a list of up to 10,000 links at
   * once; its client waits for more.
   */
  dryRunRows: { atOnce: 10_000, perMinute: 3_000 },
  activeKeysPerAccount: 20,
  webhooksPerAccount: 10,
  passkeysPerAccount: 10,
  sessionsPerAccount: 50,
  /** In 15 minutes. Each session that an account begins is an entry of the audit log, for ever. */
  signInsPerAccount: 100,
  tagsPerLink: 10,
  tagLength: 50,
  titleLength: 200,
  noteLength: 2_000,
  destinationUrlBytes: 2048,
  pageSize: 100,
  defaultPageSize: 10,
  bodyBytes: 2 * 1024 * 1024,
  /** Where no key or session is needed, anybody can send a body. */
  openBodyBytes: 16 * 1024,
  /** No valid body is nested more than four levels deep. Recursive code relies on this limit. */
  bodyDepth: 64,
  /** A valid body has at most nine parts per link of a bulk creation. A body with many more would be slow to check. */
  bodyParts: 20_000,
  idempotencyHours: 24,
} as const;

const number = (value: number) => value.toLocaleString('en');

/** The limits as documents show them: the API's guide and docs/contract.md. */
export const LIMIT_ROWS: Readonly<Record<string, string>> = {
  'creations per account': `${LIMITS.creationsPerHour} per hour, unless an operator sets another limit; each link of a batch counts`,
  'links per batch': `${LIMITS.linksPerBulkRequest}, and no more than the hourly limit`,
  'URLs in dry runs and checks per account': `${number(LIMITS.dryRunRows.atOnce)} at once, and ${number(LIMITS.dryRunRows.perMinute)} more per minute`,
  'active API keys per account': `${LIMITS.activeKeysPerAccount}`,
  'webhooks per account': `${LIMITS.webhooksPerAccount}`,
  'passkeys per account': `${LIMITS.passkeysPerAccount}`,
  'sessions per account': `the newest ${LIMITS.sessionsPerAccount}; ${LIMITS.signInsPerAccount} sign-ins in 15 minutes`,
  'custom slug': `${CUSTOM_SLUG_MIN} to ${CUSTOM_SLUG_MAX} characters`,
  'generated slug': `${GENERATED_SLUG_LENGTH} characters`,
  destination: `${number(LIMITS.destinationUrlBytes)} bytes`,
  tags: `${LIMITS.tagsPerLink} per link, ${LIMITS.tagLength} characters each`,
  title: `${LIMITS.titleLength} characters`,
  note: `${number(LIMITS.noteLength)} characters`,
  page: `${LIMITS.pageSize} entries; default: ${LIMITS.defaultPageSize}`,
  analytics: `${Object.keys(PERIODS).join(', ')}; the first ${TOP_N} of each list`,
  body: `${LIMITS.bodyBytes / 2 ** 20} MiB, ${LIMITS.bodyDepth} levels deep, ${number(LIMITS.bodyParts)} fields, objects and arrays; ${LIMITS.openBodyBytes / 2 ** 10} KiB if the endpoint needs no API key or session`,
  answer: 'within 5 s for API clients and 2.5 s for visitors; otherwise 503',
};
