import { createHmac, randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { CLICKS, clickIdOf } from '@waypost/domain';
import fc from 'fast-check';
import { LINE_MAX_BYTES } from './log/frame.ts';
import { clickRecorder } from './record-click.ts';
import { visitorHash } from './visitor-hash.ts';

const secret = Buffer.alloc(32, 9);
const LINK = { slug: 'abcDEF1', ownerId: '0193a5d0-7c1e-4abc-8def-0123456789ab' };
const record = clickRecorder({
  visitorSecret: { current: secret },
  countryOf: () => 'DE',
  now: () => 1_795_000_000_123,
});

describe('the line of a click', () => {
  test('contains the event that consumers expect', () => {
    const event = CLICKS.decode(record(LINK, '192.0.2.1', 'UA/1.0', 'https://a.example/b?c=d#e'));
    expect(event).toEqual({
      v: 2,
      type: 'click.recorded',
      id: expect.any(String),
      account_id: LINK.ownerId,
      slug: 'abcDEF1',
      at: 1_795_000_000_123,
      visitor: createHmac('sha256', secret).update('abcDEF1192.0.2.1').digest('hex').slice(0, 16),
      country: 'DE',
      user_agent: 'UA/1.0',
      referrer: 'https://a.example',
    });
    expect(Number.parseInt(event.id.replace('-', '').slice(0, 12), 16)).toBe(event.at);
  });

  test('also has the hash by the previous secret, if there is one', () => {
    const previous = Buffer.alloc(32, 8);
    const visitorSecret = { current: secret, previous };
    const line = clickRecorder({ visitorSecret, countryOf: () => 'DE', now: () => 1 })(LINK, '::1', 'UA', undefined);
    const before = clickRecorder({ visitorSecret: { current: previous }, countryOf: () => 'DE', now: () => 1 });
    const hashed = CLICKS.decode(before(LINK, '::1', 'UA', undefined)).visitor;
    expect(CLICKS.decode(line)).toMatchObject({ previous_visitor: hashed, country: 'DE', user_agent: 'UA' });
    expect(CLICKS.decode(line).visitor).toBe(CLICKS.decode(record(LINK, '::1', 'UA', undefined)).visitor);
  });

  test('is one line of ASCII with a limited length, whatever the headers contain', () => {
    const anyByte = fc
      .array(fc.integer({ min: 0, max: 255 }), { maxLength: 2_000 })
      .map((codes) => String.fromCharCode(...codes));
    const hostile = fc.oneof(
      anyByte,
      fc.string({ unit: 'binary', maxLength: 700 }),
      fc.constant('\ud800"\\\n'.repeat(300)),
    );
    fc.assert(
      fc.property(hostile, hostile, (userAgent, referrer) => {
        const line = record(LINK, '192.0.2.1', userAgent, referrer);
        expect(line).toMatch(/^[\x20-\x7e]+$/);
        expect(line.length).toBeLessThan(LINE_MAX_BYTES);
        const event = CLICKS.decode(line);
        expect(event.user_agent.length).toBeLessThanOrEqual(512);
        expect(event.user_agent.isWellFormed() && event.referrer.isWellFormed()).toBe(true);
      }),
    );
  });

  test('decodes a header as UTF-8 if it is valid, otherwise as Latin-1', () => {
    const header = Buffer.from('Zürich 東京').toString('latin1');
    expect(CLICKS.decode(record(LINK, '::1', header, undefined)).user_agent).toBe('Zürich 東京');
    expect(CLICKS.decode(record(LINK, '::1', 'Z\xfcrich', undefined)).user_agent).toBe('Zürich');
  });

  test('a hundred thousand ids are all different, even if the clock stops or goes back', () => {
    let clock = 1_795_000_000_000;
    const recorder = clickRecorder({
      visitorSecret: { current: secret },
      countryOf: () => 'ZZ',
      now: () => {
        clock += Math.random() < 0.5 ? 0 : Math.random() < 0.5 ? -50 : 1;
        return clock;
      },
    });
    const ids = new Set<string>();
    for (let n = 0; n < 100_000; n += 1) ids.add(clickIdOf(recorder(LINK, '::1', undefined, undefined)));
    expect(ids.size).toBe(100_000);
    for (const id of [...ids].slice(0, 1_000))
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});

test('the visitor hash is HMAC-SHA-256 for keys and texts of any length', () => {
  for (const keyLength of [0, 1, 32, 63, 64, 65, 200]) {
    const key = randomBytes(keyLength);
    const hash = visitorHash(key);
    for (let length = 0; length < 200; length += 1) {
      const text = 'aZ09-_.:'.repeat(25).slice(0, length);
      expect(hash(text)).toBe(createHmac('sha256', key).update(text).digest('hex').slice(0, 16));
    }
  }
});
