import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { SETTLE_SECONDS } from '@waypost/adapter-clickhouse';
import { WEBHOOK_LIMITS } from '@waypost/domain';
import { REQUESTS_LIMIT } from './requests.ts';

const page = readFileSync(new URL('../../../../docs/webhooks.md', import.meta.url), 'utf8').replace(/\s+/g, ' ');
const { clicksPerMessage, clicksBehind, backlogMessages, backlogBytes, logMs, logMessages } = WEBHOOK_LIMITS;
const number = (value: number) => value.toLocaleString('en');

test.each([
  REQUESTS_LIMIT,
  `at most ${WEBHOOK_LIMITS.perAccount} webhooks`,
  `up to ${number(clicksPerMessage)} clicks per message`,
  `more than ${number(clicksBehind)} clicks ahead of it`,
  `${number(backlogMessages)} messages or ${backlogBytes / 2 ** 20} MiB are pending`,
  `kept for ${logMs / 86_400_000} days, with the newest ${number(logMessages)} messages of clicks`,
  `A click is read ${SETTLE_SECONDS} s after it was stored`,
])('docs/webhooks.md says: %s', (sentence) => {
  expect(page).toContain(sentence);
});
