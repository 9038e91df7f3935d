import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { parse } from 'yaml';
import { cleared, created, flagged, revoked } from './link.ts';
import { LINK_STATUSES } from './link-status.ts';
import { SLUG } from './slug.ts';
import { THREAT_TYPES } from './threat.ts';
import { type Topic, UnreadableMessage } from './topic.ts';
import { CLICKS, type ClickEvent, clickIdOf, LINKS, type LinkEvent, VERDICTS, type VerdictEvent } from './topics.ts';

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
  v: 2,
  type: 'click.recorded',
  id: '0193a5d0-7c1e-7abc-8def-0123456789ab',
  account_id: '0193a5d0-7c1e-4abc-8def-0123456789ab',
  slug: 'summer',
  at: 1_795_255_200_000,
  visitor: '0123456789abcdef',
  country: 'DE',
  user_agent: '',
  referrer: '',
};

const TOPICS_AND_EXAMPLES = [
  ['link', LINKS, LINK],
  ['verdict', VERDICTS, VERDICT],
  ['click', CLICKS, CLICK],
] as const;

/** Returns whether the message was decoded. Any error except UnreadableMessage fails the test. */
function understands({ decode }: { decode(value: string): unknown }, value: string): boolean {
  try {
    decode(value);
    return true;
  } catch (error) {
    if (error instanceof UnreadableMessage) return false;
    throw error;
  }
}

describe.each(TOPICS_AND_EXAMPLES)('the reader of a %s event', (name, topic, example) => {
  test('reads an event as it was written', () => {
    expect(topic.decode(JSON.stringify(example))).toEqual(example);
  });

  test('ignores unknown fields, because a later version may add them', () => {
    expect(understands(topic, JSON.stringify({ ...example, added: { later: true } }))).toBe(true);
  });

  test('refuses other versions and types, as deploy/asyncapi.yaml does', () => {
    const versions = [0, 3, '1', '2', null, undefined].map((v) => ({ ...example, v }));
    const types = ['', 'link', 'other.thing', null, ['link.created'], undefined].map((type) => ({ ...example, type }));
    for (const wrong of [...versions, ...types]) {
      expect(understands(topic, JSON.stringify(wrong))).toBe(false);
      expect(faults(name, wrong)).not.toEqual([]);
    }
  });

  test('refuses text that is not a JSON object, and the error of the parser is the cause', () => {
    for (const text of ['', '{', 'null', '[]', '1', '"x"', 'true', '[{"v":1}]', '\u0000']) {
      expect(understands(topic, text)).toBe(false);
    }
    expect(() => topic.decode('{')).toThrow(expect.objectContaining({ cause: expect.any(SyntaxError) }));
  });

  test('decodes any other input or throws UnreadableMessage, and no other error', () => {
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
        understands(topic, text);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a required field', () => {
  const WRONG: Record<string, readonly unknown[]> = {
    slug: [null, 5, ['a'], '', 'a'.repeat(51), 'a b', '"', 'ü'],
    destination_url: [null, 5],
    version: [null, '1', 1.5, 0],
    scan_generation: [null, 3],
    threat_type: [null, 'virus', 3],
    reasons: [null, {}, [], 'x', [null], ['x'], [{}], [{ rule: 'r' }], [{ rule: 'r', evidence: 5 }], [[]]],
    generation: [null, 3],
    id: [null, '', 'x', CLICK.id.replace('-7abc', '-4abc'), CLICK.id.toUpperCase(), ` ${CLICK.id}`, `${CLICK.id}\n`],
    at: [null, '2026-11-21', '2026-11-21T10:00:00Z', 0, -1, 1.5, 1e300],
    visitor: [null, '', CLICK.visitor.toUpperCase(), `${CLICK.visitor}0`, 'g'.repeat(16)],
    country: [null, '', 'de', 'DEU', 'D1'],
    user_agent: [null, 5, 'x'.repeat(513)],
    referrer: [null, 5, 'x'.repeat(513)],
    status: [null, 'gone'],
  };
  const cases = [
    ...['slug', 'destination_url', 'status', 'version', 'scan_generation', 'at'].map(
      (field) => ['link', field] as const,
    ),
    ...['slug', 'destination_url', 'threat_type', 'reasons', 'generation', 'at'].map(
      (field) => ['verdict', field] as const,
    ),
    ...['id', 'slug', 'at', 'visitor', 'country', 'user_agent', 'referrer'].map((field) => ['click', field] as const),
  ];

  test.each(cases)(
    'of a %s event, %s, must be present and valid, as deploy/asyncapi.yaml also demands',
    (name, field) => {
      const [, topic, example] = TOPICS_AND_EXAMPLES.find(([one]) => one === name)!;
      for (const wrong of [undefined, ...WRONG[field]!]) {
        const value = { ...example, [field]: wrong };
        expect([wrong, understands(topic, JSON.stringify(value))]).toEqual([wrong, false]);
        expect([wrong, faults(name, value)]).not.toEqual([wrong, []]);
      }
    },
  );

  test('previous_visitor of a click is a valid hash or absent', () => {
    for (const wrong of [null, '', 5, '0123456789ABCDEF', '0123456789abcde']) {
      const value = { ...CLICK, previous_visitor: wrong };
      expect([wrong, understands(CLICKS, JSON.stringify(value))]).toEqual([wrong, false]);
      expect([wrong, faults('click', value)]).not.toEqual([wrong, []]);
    }
    expect(CLICKS.decode(JSON.stringify(CLICK))).not.toHaveProperty('previous_visitor');
  });
});

test.each([
  ['link', LINKS, LINK, 16_384],
  ['click', CLICKS, CLICK, 8_192],
] as const)('a %s event that is too long is refused before it is parsed', (_name, topic, example, longest) => {
  const long = JSON.stringify({ ...example, more: 'x'.repeat(longest) });
  expect(() => topic.decode(long)).toThrow(`longer than ${longest} characters`);
});

/** Generates any UTF-16 text, also with halves of surrogate pairs. */
const anyText = (maxLength: number) =>
  fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)), maxLength });
const hex = (digits: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: digits, maxLength: digits });
const anyTime = fc.date({ min: new Date(0), max: new Date('9999-01-01'), noInvalidDate: true });
const anyThreat = fc.constantFrom(...THREAT_TYPES);
const anySlug = fc.stringMatching(SLUG);
const shared = { slug: anySlug, destination_url: anyText(2_000), at: anyTime.map((time) => time.toISOString()) };
const anyLink: fc.Arbitrary<LinkEvent> = fc.record({
  ...shared,
  v: fc.constant(1),
  type: fc.constantFrom('link.created', 'link.edited', 'link.revoked', 'link.flagged', 'link.cleared', 'link.reported'),
  status: fc.constantFrom(...LINK_STATUSES),
  threat_type: fc.option(anyThreat),
  version: fc.integer({ min: 1 }),
  scan_generation: anyText(20),
});
const anyReason = fc.record(
  { rule: anyText(20), evidence: anyText(50), threat_type: anyThreat },
  { requiredKeys: ['rule', 'evidence'] },
);
const anyVerdict: fc.Arbitrary<VerdictEvent> = fc.record({
  ...shared,
  v: fc.constant(1),
  type: fc.constantFrom('threat.found', 'threat.gone'),
  threat_type: anyThreat,
  reasons: fc.array(anyReason, { minLength: 1, maxLength: 5 }),
  generation: anyText(20),
});
const anyClick: fc.Arbitrary<ClickEvent> = fc.record({
  v: fc.constant(2),
  type: fc.constant('click.recorded'),
  id: fc.uuid({ version: 7 }),
  account_id: fc.uuid(),
  slug: anySlug,
  at: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  visitor: hex(16),
  previous_visitor: fc.option(hex(16), { nil: undefined }),
  country: fc.string({ unit: fc.constantFrom(...'ABCXYZ'), minLength: 2, maxLength: 2 }),
  user_agent: anyText(512),
  referrer: anyText(512),
});

const document = parse(readFileSync(new URL('../../../deploy/asyncapi.yaml', import.meta.url), 'utf8'));
const ajv = new Ajv({ strict: false, allErrors: true });
ajv.addFormat('date-time', (text: string) => !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text);
ajv.addSchema(document, 'asyncapi');
function faults(schema: string, value: unknown): string[] {
  const validate = ajv.getSchema(`asyncapi#/components/schemas/${schema}Event`)!;
  return validate(value) ? [] : validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function laws<Event extends object>(name: string, topic: Topic<Event>, events: fc.Arbitrary<Event>): void {
  describe(`any ${name} event`, () => {
    test('decodes to what was encoded, and matches deploy/asyncapi.yaml', () => {
      fc.assert(
        fc.property(events, (event) => {
          const value = topic.encode(event);
          expect(topic.decode(value)).toEqual(event);
          expect(faults(name, JSON.parse(value))).toEqual([]);
        }),
      );
    });

    test('that does not match deploy/asyncapi.yaml is refused', () => {
      const broken = fc
        .tuple(events, fc.nat(), fc.option(fc.jsonValue(), { nil: undefined }))
        .map(([event, n, value]) => ({ ...event, [Object.keys(event)[n % Object.keys(event).length]!]: value }));
      fc.assert(
        fc.property(broken, (event) => {
          const value = JSON.stringify(event);
          if (faults(name, JSON.parse(value)).length > 0) expect(understands(topic, value)).toBe(false);
        }),
        { numRuns: 500 },
      );
    });
  });
}

laws('link', LINKS, anyLink);
laws('verdict', VERDICTS, anyVerdict);
laws('click', CLICKS, anyClick);

test('the fast reader and the JSON reader give the same result for any click', () => {
  const plain = fc.stringMatching(/^[\x20-\x7e]{0,40}$/);
  const fields = fc.record({
    slug: fc.oneof(anySlug, fc.stringMatching(/^[a-z_]{49,52}$/)),
    user_agent: fc.oneof(plain, anyText(20), fc.constantFrom('x'.repeat(512), 'x'.repeat(513))),
    referrer: fc.oneof(plain, fc.constantFrom('x'.repeat(513), 'a"b', 'a\\')),
    at: fc.constantFrom(0, -1, 1, 1_795_255_200_000, 1e15, Number.MAX_SAFE_INTEGER, 2 ** 53),
    country: fc.constantFrom('DE', 'D', 'de'),
  });
  const read = (value: string) => {
    try {
      return CLICKS.decode(value);
    } catch {
      return 'refused';
    }
  };
  fc.assert(
    fc.property(anyClick, fc.option(fields, { nil: {} }), fc.constantFrom('', ' ', '}', '\n'), (click, more, end) => {
      const line = CLICKS.encode({ ...click, ...more });
      // `encode` writes no space, so the text with a space goes through the slower reader.
      expect(read(`${line}${end}`)).toEqual(read(` ${line}${end}`));
    }),
    { numRuns: 500 },
  );
});

test('an encoded click is one line of ASCII, from which its id can be read', () => {
  fc.assert(
    fc.property(anyClick, (event) => {
      const line = CLICKS.encode(event);
      expect(line).toMatch(/^[\x20-\x7e]+$/);
      expect(clickIdOf(line)).toBe(event.id);
    }),
  );
});

test('deploy/asyncapi.yaml lists every threat type, and the event of each change of a link matches it', () => {
  expect(document.components.schemas.threatType.enum).toEqual(THREAT_TYPES);
  const now = new Date('2026-11-21T12:00:00.000Z');
  const link = { slug: 'abc', ownerId: 'o', destinationUrl: 'https://example.com/ü', tags: [], scanGeneration: 'g1' };
  const finding = { threatType: 'phishing', reasons: [{ rule: 'feed:x', evidence: 'y' }], generation: 'g2' } as const;
  const initial = created({ ...link, threatType: null }, now);
  const suspected = flagged(initial.link, finding, now)!;
  const changes = [initial, created({ ...link, threatType: 'malware' }, now), revoked(initial.link, now), suspected];
  for (const { event } of [...changes, cleared(suspected.link, now)]) {
    expect(faults('link', event)).toEqual([]);
    expect(LINKS.decode(LINKS.encode(event))).toEqual(event);
  }
});
