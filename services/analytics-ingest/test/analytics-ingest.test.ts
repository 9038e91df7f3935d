import { afterAll, describe, expect, test } from '@jest/globals';
import { clickhouseClickSink, clickhouseClickStats, prepareClickHouse } from '@waypost/adapter-clickhouse';
import { inProcessBus, startEmbeddedClickHouse } from '@waypost/adapter-embedded';
import { CLICKS, type ClickEvent } from '@waypost/domain';
import type { BusMessage } from '@waypost/ports';
import { afterwards, newFolder } from '@waypost/test-support/afterwards';
import { createAnalyticsIngest } from '../src/index.ts';

const DAY_MS = 86_400_000;
const day = (ago: number) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10);
const LAST_90_DAYS = { from: day(89), to: day(0) };

let made = 0;
function message(slug: string, more: Partial<ClickEvent> = {}): BusMessage {
  made++;
  const id = `01900000-0000-7000-8000-${made.toString(16).padStart(12, '0')}`;
  const event: ClickEvent = {
    v: 2,
    type: 'click.recorded',
    id,
    slug,
    at: Date.now() - (made % 80) * DAY_MS,
    visitor: (made % 10).toString(16).padStart(16, '0'),
    country: 'DE',
    user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0',
    referrer: 'https://www.news.example/today',
    ...more,
  };
  return { key: CLICKS.key(event), value: CLICKS.encode(event) };
}

const embedded = await startEmbeddedClickHouse(newFolder());
await prepareClickHouse(embedded.client, 'waypost');
const sink = clickhouseClickSink(embedded.client, 'waypost');
const stats = clickhouseClickStats(embedded.client, 'waypost');

describe('analytics-ingest, from the bus to the figures', () => {
  afterAll(() => embedded.stop());

  async function started() {
    const parked: string[] = [];
    const warnings: string[] = [];
    const logger = { info: () => logger, debug: () => logger, warn: (text: string) => warnings.push(text) };
    const bus = inProcessBus({
      park: async (_topic, _group, { value }) => void parked.push(value),
      logger,
    });
    const ingest = createAnalyticsIngest({ bus, sink, logger: logger as never });
    await ingest.start();
    afterwards(() => ingest.stop());
    return { ingest, parked, warnings, publish: (messages: BusMessage[]) => bus.publishEncoded(CLICKS, messages) };
  }
  const figuresOf = (slug: string) => stats.figures(slug, LAST_90_DAYS, 'include');

  test('a published click counts once `publish` has resolved', async () => {
    const { ingest, publish } = await started();
    await publish([message('counted', { at: Date.now() })]);
    expect(await figuresOf('counted')).toEqual({
      total_clicks: 1,
      unique_visitors: 1,
      bot_clicks: 0,
      days: [{ date: day(0), clicks: 1 }],
      top_referrers: [{ referrer: 'news.example', count: 1 }],
      top_countries: [{ country: 'DE', count: 1 }],
      top_devices: [{ device: 'desktop', count: 1 }],
      top_browsers: [{ browser: 'Firefox', count: 1 }],
    });
    expect(ingest.status()).toMatchObject({ running: true, stored: 1, parked: 0, lastStoredAt: expect.any(Number) });
    await ingest.stop();
    expect(ingest.status().running).toBe(false);
  });

  test('unreadable messages and impossible times are dead-lettered, with one warning per batch, and all others count', async () => {
    const { ingest, publish, parked, warnings } = await started();
    const bad = [
      { key: 'x', value: 'not JSON' },
      message('mixed', { at: Date.now() - 101 * DAY_MS }),
      message('mixed', { at: Date.now() + 3 * DAY_MS }),
      message('mixed', { at: Date.UTC(9999, 1) }),
    ];
    await publish([...Array.from({ length: 30 }, () => message('mixed')), ...bad]);
    expect(await figuresOf('mixed')).toMatchObject({ total_clicks: 30 });
    expect(parked).toEqual(bad.map(({ value }) => value));
    expect(warnings).toEqual(['messages parked']);
    expect(ingest.status()).toMatchObject({ stored: 30, parked: 4 });
  });

  test('stopping waits for the current batch', async () => {
    const { ingest, publish } = await started();
    const publishing = publish(Array.from({ length: 3_000 }, () => message('stopped')));
    await ingest.stop();
    expect(ingest.status().stored).toBe(3_000);
    await publishing;
    expect(await figuresOf('stopped')).toMatchObject({ total_clicks: 3_000 });
  });
});
