/** deploy/asyncapi.yaml is AsyncAPI 3, and what we produce and what it says are the same. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test } from '@jest/globals';
import {
  cleared,
  created,
  flagged,
  parseClickEvent,
  parseLinkEvent,
  parseVerdictEvent,
  revoked,
  THREAT_TYPES,
  TOPICS,
} from '@waypost/domain';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { clickRecorder } from '../../../services/redirector/src/use-cases/record-click.ts';
import { newScanner, until } from '../../../services/scanner/test/scanner-kit.ts';
import { parkedTopic, topicSettings } from '../src/index.ts';
import { parkedMessage } from '../src/parked-message.ts';

const NOW = new Date('2026-11-21T12:00:00.000Z');
const document = parse(readFileSync(new URL('../../../deploy/asyncapi.yaml', import.meta.url), 'utf8'));
const ajv = new Ajv({ strict: false, validateFormats: true, allErrors: true });
ajv.addFormat('date-time', (text: string) => new Date(text).toISOString() === text);
ajv.addSchema(document, 'asyncapi');

/** What is wrong with a value by the schema of this name. */
function faults(schema: string, value: unknown): string[] {
  const validate = ajv.getSchema(`asyncapi#/components/schemas/${schema}`)!;
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

describe('the document', () => {
  test('is AsyncAPI 3.0.0', () => {
    const require = createRequire(import.meta.url);
    const specification = require('@asyncapi/specs/schemas/3.0.0.json');
    const meta = new Ajv({ strict: false, validateFormats: false, meta: false, validateSchema: false });
    const validate = meta.compile(specification);
    expect(validate(document) ? [] : validate.errors).toEqual([]);
    expect(validate({ ...document, channels: { links: { adress: 'links' } } })).toBe(false);
  });

  test('every reference in it leads somewhere', () => {
    const references: string[] = JSON.stringify(document).match(/#\/[\w./]+/g) ?? [];
    expect(references.length).toBeGreaterThan(20);
    for (const reference of references) {
      const found = reference
        .slice(2)
        .split('/')
        .reduce((at, name) => at?.[name], document);
      expect([reference, typeof found]).toEqual([reference, 'object']);
    }
  });

  test('has every topic, with the settings it is made with', () => {
    const settings = topicSettings(1);
    expect(Object.keys(document.channels).toSorted()).toEqual(Object.keys(settings).toSorted());
    for (const topic of Object.values(TOPICS)) {
      expect(document.channels).toHaveProperty([parkedTopic(topic)]);
      const { partitions, topicConfiguration } = document.channels[topic].bindings.kafka;
      const { config, partitions: wanted } = settings[topic]!;
      expect(partitions).toBe(wanted);
      expect(topicConfiguration['cleanup.policy'].join(',')).toBe(config['cleanup.policy']);
      expect(String(topicConfiguration['retention.ms'])).toBe(config['retention.ms']);
    }
  });

  test('knows every threat', () => {
    expect(document.components.schemas.threatType.enum).toEqual(THREAT_TYPES);
  });
});

describe('every kind of message that we produce is as described', () => {
  const link = { slug: 'abc', ownerId: 'o', destinationUrl: 'https://example.com/ü', tags: [], scanGeneration: 'g1' };
  const found = { threatType: 'phishing', reasons: [{ rule: 'feed:x', evidence: 'y' }], generation: 'g2' } as const;
  const born = created({ ...link, threatType: null }, NOW);
  const flaggedLink = flagged(born.link, found, NOW)!;

  test.each([
    ['created', born.event],
    ['created, flagged at birth', created({ ...link, threatType: 'malware' }, NOW).event],
    ['revoked', revoked(born.link, NOW).event],
    ['flagged', flaggedLink.event],
    ['cleared', cleared(flaggedLink.link, NOW).event],
  ])('links: %s', (_, event) => {
    const value = JSON.stringify(event);
    expect(faults('linkEvent', JSON.parse(value))).toEqual([]);
    expect(parseLinkEvent(value)).toEqual(event);
  });

  test('verdicts: what a re-scan found, as the scanner publishes it', async () => {
    const kit = await newScanner();
    await kit.start();
    await kit.createLink('abc', 'http://bad.example.net/x');
    await kit.list('bad', ['http://bad.example.net/x'], { threatType: 'malware' });
    await until(() => kit.bus.published.length > 0);
    await kit.stop();
    for (const event of kit.bus.published) {
      expect(faults('verdictEvent', event)).toEqual([]);
      expect(parseVerdictEvent(JSON.stringify(event))).toEqual(event);
    }
  });

  test.each([
    ['plain', 'Mozilla/5.0', 'https://example.org/page?q=1#x'],
    ['without headers', undefined, undefined],
    ['hostile', `"\\\u0000\u001f${'\u00ff'.repeat(2_000)}`, `"</script>${'é'.repeat(2_000)}`],
  ])('clicks: %s', (_, userAgent, referrer) => {
    const record = clickRecorder({
      visitorSecret: Buffer.alloc(32, 1),
      countryOf: () => 'DE',
      now: () => NOW.getTime(),
    });
    const line = record('abc', '192.0.2.1', userAgent, referrer);
    expect(faults('clickEvent', JSON.parse(line))).toEqual([]);
    expect(() => parseClickEvent(line)).not.toThrow();
  });

  test('parked messages', () => {
    const message = {
      key: '',
      value: 'no JSON',
      headers: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
    };
    const parked = parkedMessage(message, 'link-api', new Error('not JSON'), { partition: 3, offset: '17' });
    expect(faults('parkedHeaders', parked.headers)).toEqual([]);
    expect(faults('traceHeaders', parked.headers)).toEqual([]);
  });
});

describe('the description is no wider than our own reading of it', () => {
  const click = JSON.parse(
    clickRecorder({ visitorSecret: Buffer.alloc(32, 1), countryOf: () => 'DE', now: () => NOW.getTime() })(
      'abc',
      '::1',
      'x',
      'y',
    ),
  );

  test.each([
    { ...click, v: 2 },
    { ...click, type: 'click.made' },
    { ...click, id: 'abc' },
    { ...click, slug: '' },
    { ...click, at: 'now' },
    { ...click, visitor: '192.0.2.1' },
    { ...click, country: 'Germany' },
    { ...click, referrer: undefined },
  ])('what is parked is refused by it: %j', (value) => {
    const text = JSON.stringify(value);
    expect(() => parseClickEvent(text)).toThrow();
    expect(faults('clickEvent', JSON.parse(text))).not.toEqual([]);
  });
});
