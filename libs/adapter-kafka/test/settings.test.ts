import { expect, test } from '@jest/globals';
import { ConfigError, type Environment, readSettings } from '@waypost/settings';
import { checkKafka, KAFKA, kafkaConnection } from '../src/settings.ts';

const read = (environment: Environment) => kafkaConnection(readSettings(KAFKA, environment, checkKafka));
const FAR = { KAFKA_BROKERS: 'kafka-0.kafka:9092,10.0.0.7:9092' };
const SCRAM = { KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512', KAFKA_SASL_USERNAME: 'me', KAFKA_SASL_PASSWORD: 'secret' };

test('only the brokers are required, and without other settings nothing else is on', () => {
  expect(read(FAR)).toEqual({ brokers: ['kafka-0.kafka:9092', '10.0.0.7:9092'], prefix: '' });
});

test('TLS, a user and a prefix can be set', () => {
  expect(read({ ...FAR, ...SCRAM, KAFKA_TLS: 'on', KAFKA_TOPIC_PREFIX: 'team.' })).toEqual({
    brokers: ['kafka-0.kafka:9092', '10.0.0.7:9092'],
    tls: {},
    sasl: { mechanism: 'scram-sha-512', username: 'me', password: 'secret' },
    prefix: 'team.',
  });
});

test.each<[Environment, string]>([
  [{ KAFKA_BROKERS: 'kafka' }, 'not like host:9092: kafka'],
  [{ KAFKA_BROKERS: 'kafka:0' }, 'not like host:9092'],
  [{ KAFKA_BROKERS: '[::1]:9092' }, 'not like host:9092'],
  [{ ...FAR, KAFKA_TLS: 'yes' }, 'KAFKA_TLS must be one of on, off'],
  [{ ...FAR, KAFKA_TLS: 'on', KAFKA_CA_FILE: '/none' }, 'KAFKA_CA_FILE points to a file that cannot be read'],
  [{ ...FAR, KAFKA_CA_FILE: '/none' }, 'KAFKA_CA_FILE'],
  [{ ...FAR, ...SCRAM, KAFKA_SASL_MECHANISM: 'GSSAPI' }, 'KAFKA_SASL_MECHANISM must be one of'],
  [{ ...FAR, KAFKA_SASL_USERNAME: 'me' }, 'set KAFKA_SASL_MECHANISM'],
  [{ ...FAR, KAFKA_SASL_MECHANISM: 'SCRAM-SHA-256' }, 'KAFKA_SASL_PASSWORD is required'],
  [{ ...FAR, ...SCRAM, KAFKA_SASL_MECHANISM: 'PLAIN' }, 'would send the password unencrypted'],
  [{ ...FAR, KAFKA_TOPIC_PREFIX: 'a b' }, 'KAFKA_TOPIC_PREFIX must be'],
])('%j is refused', (environment, words) => {
  expect(() => read(environment)).toThrow(ConfigError);
  expect(() => read(environment)).toThrow(words);
});

test('PLAIN without TLS is for loopback only', () => {
  const near = { ...SCRAM, KAFKA_SASL_MECHANISM: 'PLAIN', KAFKA_BROKERS: '127.0.0.1:9092,localhost:9093' };
  expect(read(near).sasl?.mechanism).toBe('plain');
});
