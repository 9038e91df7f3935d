import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { analyticsRecord, type ClickFigures, daysOf, PERIODS, type Period } from './analytics.ts';

const NO_CLICKS: ClickFigures = {
  total_clicks: 0,
  unique_visitors: 0,
  bot_clicks: 0,
  days: [],
  top_referrers: [],
  top_countries: [],
  top_devices: [],
  top_browsers: [],
};
const periods = fc.constantFrom(...(Object.keys(PERIODS) as Period[]));
const moments = fc.date({ min: new Date('1990-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });

describe('the days of a period', () => {
  test('are the last 7, today included, oldest first', () => {
    expect(daysOf('7d', new Date('2026-11-21T15:00:00Z'))).toEqual(
      ['15', '16', '17', '18', '19', '20', '21'].map((day) => `2026-11-${day}`),
    );
  });

  test('change exactly at midnight UTC', () => {
    expect(daysOf('7d', new Date('2026-11-21T23:59:59.999Z')).at(-1)).toBe('2026-11-21');
    expect(daysOf('7d', new Date('2026-11-22T00:00:00.000Z')).at(-1)).toBe('2026-11-22');
    expect(daysOf('7d', new Date('2026-11-22T00:00:00.000Z'))[0]).toBe('2026-11-16');
  });

  test('are right at the end of months and years and on leap days', () => {
    expect(daysOf('7d', new Date('2028-03-01T12:00:00Z')).slice(4)).toEqual(['2028-02-28', '2028-02-29', '2028-03-01']);
    expect(daysOf('30d', new Date('2027-01-01T00:00:00Z')).at(-2)).toBe('2026-12-31');
    expect(daysOf('90d', new Date('2026-11-21T00:00:00Z'))[0]).toBe('2026-08-24');
  });

  test('are consecutive and as many as the period has, and a shorter period is the end of a longer one', () => {
    fc.assert(
      fc.property(periods, moments, (period, now) => {
        const days = daysOf(period, now);
        expect(days).toHaveLength(PERIODS[period]);
        expect(days.at(-1)).toBe(now.toISOString().slice(0, 10));
        for (const [i, day] of days.entries()) {
          if (i > 0) expect(Date.parse(day) - Date.parse(days[i - 1]!)).toBe(86_400_000);
        }
        expect(daysOf('90d', now).slice(-days.length)).toEqual(days);
      }),
    );
  });
});

describe('the analytics record', () => {
  test('has an entry for each day, also without clicks, and keeps the other figures', () => {
    const now = new Date('2026-11-21T15:00:00Z');
    const figures: ClickFigures = {
      ...NO_CLICKS,
      total_clicks: 7,
      unique_visitors: 2,
      bot_clicks: 1,
      days: [
        { date: '2026-11-21', clicks: 4 },
        { date: '2026-11-15', clicks: 3 },
      ],
      top_referrers: [{ referrer: 'direct', count: 7 }],
    };
    const record = analyticsRecord('7d', now, figures);
    expect(record.time_series.map(({ clicks }) => clicks)).toEqual([3, 0, 0, 0, 0, 0, 4]);
    expect(record.time_series.map(({ date }) => date)).toEqual(daysOf('7d', now));
    expect(record).toMatchObject({
      period: '7d',
      total_clicks: 7,
      unique_visitors: 2,
      bot_clicks: 1,
      top_referrers: [{ referrer: 'direct', count: 7 }],
    });
    expect(record).not.toHaveProperty('days');
  });

  test('has a time series whose sum is total_clicks', () => {
    fc.assert(
      fc.property(periods, moments, fc.array(fc.nat(1000), { maxLength: 90 }), (period, now, counts) => {
        const dates = daysOf(period, now);
        const days = counts.slice(0, dates.length).map((clicks, i) => ({ date: dates[i]!, clicks }));
        const total_clicks = days.reduce((sum, { clicks }) => sum + clicks, 0);
        const record = analyticsRecord(period, now, { ...NO_CLICKS, total_clicks, days: days.toReversed() });
        expect(record.time_series.reduce((sum, { clicks }) => sum + clicks, 0)).toBe(total_clicks);
      }),
    );
  });
});
