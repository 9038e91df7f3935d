import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { created } from './link.ts';
import {
  type ClickEvent,
  parseClickEvent,
  parseLinkEvent,
  parseVerdictEvent,
  UnreadableMessage,
  type VerdictEvent,
} from './topics.ts';

const LINK = created(
  {
    slug: 'summer',
    ownerId: 'owner-1',
    destinationUrl: 'https://example.com/',
    tags: [],
    threatType: null,
    scanGeneration: 'g1',
  },
  new Date('2026-11-21T10:00:00.000Z'),
).event;

const VERDICT: VerdictEvent = {
  v: 1,
  type: 'threat.found',
  slug: 'summer',
  destination_url: 'https://example.com/',
  threat_type: 'phishing',
  reasons: [{ rule: 'feed:x', evidence: 'example.com/' }],
  generation: 'g2',
  at: '2026-11-21T10:00:00.000Z',
};

const CLICK: ClickEvent = {
  v: 1,
  type: 'click.recorded',
  id: '0193a5d0-7c1e-7abc-8def-0123456789ab',
  slug: 'summer',
  at: 1_795_255_200_000,
  visitor: '0123456789abcdef',
  country: 'DE',
  userAgent: '',
  referrer: '',
};

const PARSERS = [
  ['link', parseLinkEvent, LINK],
  ['verdict', parseVerdictEvent, VERDICT],
  ['click', parseClickEvent, CLICK],
] as const;

/** Whether it was understood; anything but UnreadableMessage rises and fails the test. */
function understands(parser: (value: string) => unknown, value: string): boolean {
  try {
    parser(value);
    return true;
  } catch (error) {
    if (error instanceof UnreadableMessage) return false;
    throw error;
  }
}

describe.each(PARSERS)('the reader of a %s event', (_name, parser, example) => {
  test('reads what was written', () => {
    expect(parser(JSON.stringify(example))).toEqual(example);
  });

  test('goes past fields it does not know, as a later version may add them', () => {
    expect(understands(parser, JSON.stringify({ ...example, added: { later: true } }))).toBe(true);
  });

  test('refuses another version and another type', () => {
    for (const v of [0, 2, '1', null, undefined]) {
      expect(understands(parser, JSON.stringify({ ...example, v }))).toBe(false);
    }
    for (const type of ['', 'link', 'other.thing', null, ['link.created'], undefined]) {
      expect(understands(parser, JSON.stringify({ ...example, type }))).toBe(false);
    }
  });

  test('refuses text that is no JSON object, keeping what the parser said as the cause', () => {
    for (const text of ['', '{', 'null', '[]', '1', '"x"', 'true', '[{"v":1}]', '\u0000']) {
      expect(understands(parser, text)).toBe(false);
    }
    expect(() => parser('{')).toThrow(expect.objectContaining({ cause: expect.any(SyntaxError) }));
  });

  test('refuses or reads whatever else comes, and never fails otherwise', () => {
    const hostile = fc.oneof(
      fc.json(),
      fc.string(),
      fc
        .record(Object.fromEntries(Object.keys(example).map((key) => [key, fc.jsonValue()])))
        .map((x) => JSON.stringify(x)),
      fc
        .tuple(fc.constantFrom(...Object.keys(example)), fc.jsonValue())
        .map(([key, value]) => JSON.stringify({ ...example, [key]: value })),
    );
    fc.assert(
      fc.property(hostile, (text) => {
        understands(parser, text);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a required field', () => {
  const WRONG: Record<string, readonly unknown[]> = {
    slug: [null, 5, ['a']],
    destination_url: [null, 5],
    version: [null, '1', 1.5],
    scan_generation: [null, 3],
    threat_type: [null, 'virus', 3],
    reasons: [null, {}, 'x', [null], ['x'], [{}], [{ rule: 'r' }], [{ rule: 'r', evidence: 5 }], [[]]],
    generation: [null, 3],
    id: [null, '', 'x', CLICK.id.replace('-7abc', '-4abc'), CLICK.id.toUpperCase(), ` ${CLICK.id}`, `${CLICK.id}\n`],
    at: [null, '2026-11-21', 0, -1, 1.5, 1e300],
    visitor: [null, '', CLICK.visitor.toUpperCase(), `${CLICK.visitor}0`, 'g'.repeat(16)],
    country: [null, '', 'de', 'DEU', 'D1'],
    userAgent: [null, 5],
    referrer: [null, 5],
  };
  const cases = [
    ...['slug', 'destination_url', 'version', 'scan_generation'].map((field) => ['link', field] as const),
    ...['slug', 'destination_url', 'threat_type', 'reasons', 'generation'].map((field) => ['verdict', field] as const),
    ...['id', 'slug', 'at', 'visitor', 'country', 'userAgent', 'referrer'].map((field) => ['click', field] as const),
  ];

  test.each(cases)('of a %s event, %s, is neither missing nor of another kind', (name, field) => {
    const [, parser, example] = PARSERS.find(([one]) => one === name)!;
    for (const wrong of [undefined, ...WRONG[field]!]) {
      expect([wrong, understands(parser, JSON.stringify({ ...example, [field]: wrong }))]).toEqual([wrong, false]);
    }
  });

  test('the slug of a click is 1 to 50 characters', () => {
    const withSlug = (slug: string) => understands(parseClickEvent, JSON.stringify({ ...CLICK, slug }));
    expect([withSlug(''), withSlug('a'), withSlug('a'.repeat(50)), withSlug('a'.repeat(51))]).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });
});
