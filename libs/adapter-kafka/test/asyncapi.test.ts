/**
 * deploy/asyncapi.yaml must be valid AsyncAPI 3 and list the topics with the settings that we create.
 * libs/domain/src/topics.test.ts tests its events.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test } from '@jest/globals';
import { TOPICS } from '@waypost/domain';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { parkedTopic, topicSettings } from '../src/index.ts';
import { parkedMessage } from '../src/parked-message.ts';

const document = parse(readFileSync(new URL('../../../deploy/asyncapi.yaml', import.meta.url), 'utf8'));
const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema(document, 'asyncapi');

/** Returns the errors of a value against the schema with this name. */
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

  test('every reference in it resolves', () => {
    const references: string[] = JSON.stringify(document).match(/#\/[\w./]+/g) ?? [];
    expect(references.length).toBeGreaterThan(20);
    for (const reference of references) {
      const target = reference
        .slice(2)
        .split('/')
        .reduce((at, name) => at?.[name], document);
      expect([reference, typeof target]).toEqual([reference, 'object']);
    }
  });

  test('describes every topic with its real settings', () => {
    const settings = topicSettings(1);
    expect(Object.keys(document.channels).toSorted()).toEqual(Object.keys(settings).toSorted());
    for (const topic of Object.values(TOPICS)) {
      expect(document.channels).toHaveProperty([parkedTopic(topic)]);
      const { partitions, topicConfiguration } = document.channels[topic].bindings.kafka;
      const { config, partitions: expectedPartitions } = settings[topic]!;
      expect(partitions).toBe(expectedPartitions);
      expect(topicConfiguration['cleanup.policy'].join(',')).toBe(config['cleanup.policy']);
      expect(String(topicConfiguration['retention.ms'])).toBe(config['retention.ms']);
    }
  });

  test('describes parked messages', () => {
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
