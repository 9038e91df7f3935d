import { expect, test } from '@jest/globals';
import { isDay, isTime, timeOf } from './calendar.ts';

test.each(['2027-02-28', '2028-02-29', '2027-12-31'])('%s is a day, and its hours are valid times', (day) => {
  expect(isDay(day)).toBe(true);
  expect(isTime(day)).toBe(true);
  expect(isTime(`${day}T23:59:59.999Z`)).toBe(true);
});

test.each(['2027-02-30', '2027-02-29', '2027-04-31', '2027-13-01', '2027-00-10', 'tomorrow', ''])(
  '%j is not a day',
  (day) => {
    expect(isDay(day)).toBe(false);
    expect(isTime(day)).toBe(false);
    expect(isTime(`${day}T12:00:00Z`)).toBe(false);
  },
);

test('a time with the hour 25 is not valid', () => {
  expect(isTime('2027-02-28T25:00:00Z')).toBe(false);
});

test.each([
  ['2027-06-01T18:00:00Z', '2027-06-01T18:00:00.000Z'],
  ['2027-06-01T18:00:00.1239+02:00', '2027-06-01T16:00:00.123Z'],
  ['2027-06-01t18:00:00-05:30', '2027-06-01T23:30:00.000Z'],
])('reads a time with a zone: %s', (text, at) => {
  expect(timeOf(text)?.toISOString()).toBe(at);
});

test.each([
  '2027-06-01',
  '2027-06-01T18:00:00',
  '2027-06-01T18:00Z',
  '2027-02-30T18:00:00Z',
  '2027-06-01T24:00:00Z',
  '1811870400',
])('reads no other text as a time: %s', (text) => {
  expect(timeOf(text)).toBeUndefined();
});
