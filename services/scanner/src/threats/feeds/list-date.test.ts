import { expect, test } from '@jest/globals';
import { dateOfList } from './list-date.ts';

test.each([
  ['# Last updated: 2025-04-21 12:35:06 (UTC)                       #', '2025-04-21T12:35:06.000Z'],
  ['! Updated: 2025-07-19T12:11:28Z', '2025-07-19T12:11:28.000Z'],
  ['# Updated: Mon, 14 Mar 2022 00:11:32 +0000', '2022-03-14T00:11:32.000Z'],
  ['! Last modified: 12 October 2026 08:30 UTC', '2026-10-12T08:30:00.000Z'],
  ['# Date: 2026-10-12T10:30:00.123+02:00', '2026-10-12T08:30:00.000Z'],
  ['# Generated at: 2020-10-19 11:11:59                  #', '2020-10-19T11:11:59.000Z'],
  ['# Last updated: 2024-7-6', '2024-07-06T00:00:00.000Z'],
  ['# Title: a list\n#\n# Last Update: 2026-11-01\nexample.net', '2026-11-01T00:00:00.000Z'],
])('%s is the date of the list', (text, iso) => {
  expect(dateOfList(text)?.toISOString()).toBe(iso);
});

test.each([
  ['# Expires: 1 day (update frequency)'],
  ['# Last updated: yesterday'],
  ['# Last updated: 2026-13-45'],
  ['http://example.net/?updated: 2026-11-01'],
  [`${'# a long preface\n'.repeat(500)}# Updated: 2026-11-01`],
  [''],
])('%j has no date', (text) => {
  expect(dateOfList(text)).toBeUndefined();
});
