import { expect, test } from '@jest/globals';
import { isDay, isTime } from './calendar.ts';

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
