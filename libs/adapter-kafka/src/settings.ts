/**
 * The settings of Kafka's address, user and TLS. Do not import kafkajs here, because every config.ts imports this file.
 */
import { isIP } from 'node:net';
import { type Check, type Settings, setting } from '@waypost/settings';

export interface KafkaConnection {
  readonly brokers: readonly string[];
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  readonly sasl?: {
    readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
    readonly username: string;
    readonly password: string;
  };
  readonly prefix: string;
}

function parseBrokers(entries: readonly string[]): readonly string[] {
  const malformed = entries.filter((entry) => !isBroker(entry));
  if (malformed.length > 0) throw new Error(`names what is not like host:9092: ${malformed.join(', ')}`);
  return entries;
}

/** kafkajs splits the address at the first colon, so an IPv6 address does not work. */
function isBroker(entry: string): boolean {
  const [host = '', port = '', ...rest] = entry.split(':');
  const number = /^\d{1,5}$/.test(port) ? Number(port) : 0;
  return rest.length === 0 && /^[a-z0-9_.-]{1,253}$/i.test(host) && number >= 1 && number <= 65_535;
}

function parsePrefix(text: string): string {
  if (!/^[\w.-]{1,100}$/.test(text)) throw new Error('must be none, or letters, digits, dots, hyphens and underscores');
  return text === 'none' ? '' : text;
}

export const KAFKA = {
  KAFKA_BROKERS: setting.list('brokers, such as `kafka-0:9092`', parseBrokers),
  KAFKA_TLS: setting.oneOf('whether the brokers are spoken to by TLS', 'on', 'off').default('off'),
  KAFKA_CA_FILE: setting.pemFile('authority of the brokers').optional('the authorities that Node knows'),
  KAFKA_CERT_FILE: setting.pemFile('certificate of this process').optional(),
  KAFKA_KEY_FILE: setting.pemFile('key of that certificate').optional(),
  KAFKA_SASL_MECHANISM: setting
    .oneOf('how this process says who it is', 'none', 'PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512')
    .default('none'),
  KAFKA_SASL_USERNAME: setting.text('user, with a mechanism').optional(),
  KAFKA_SASL_PASSWORD: setting.secretText('password, with a mechanism').optional(),
  KAFKA_TOPIC_PREFIX: setting
    .parsed('text, or `none`', 'stands before each topic and group name', parsePrefix)
    .default('none'),
};
export type KafkaSettings = Settings<typeof KAFKA>;

export const checkKafka: Check<typeof KAFKA> = (read, fault) => {
  const { kafkaTls: tls, kafkaSaslMechanism: mechanism = 'none', kafkaCertFile: cert, kafkaKeyFile: key } = read;
  const needTls = { KAFKA_CA_FILE: read.kafkaCaFile, KAFKA_CERT_FILE: cert, KAFKA_KEY_FILE: key };
  for (const [name, value] of Object.entries(needTls))
    if (value !== undefined && tls === 'off') fault(name, 'is for TLS: set KAFKA_TLS=on');
  if ((cert === undefined) !== (key === undefined))
    fault(cert === undefined ? 'KAFKA_CERT_FILE' : 'KAFKA_KEY_FILE', 'must be given with the other one');
  const needSasl = { KAFKA_SASL_USERNAME: read.kafkaSaslUsername, KAFKA_SASL_PASSWORD: read.kafkaSaslPassword };
  for (const [name, value] of Object.entries(needSasl)) {
    if (mechanism === 'none' && value !== undefined) fault(name, 'is for SASL: set KAFKA_SASL_MECHANISM');
    if (mechanism !== 'none' && value === undefined) fault(name, `must be given for ${mechanism}`);
  }
  const far = Array.isArray(read.kafkaBrokers) && !read.kafkaBrokers.every(isLoopback);
  if (mechanism === 'PLAIN' && tls === 'off' && far)
    fault('KAFKA_SASL_MECHANISM', 'would send the password in the clear: use SCRAM-SHA-512, or KAFKA_TLS=on');
};

function isLoopback(broker: string): boolean {
  const host = broker.slice(0, broker.lastIndexOf(':'));
  return host === 'localhost' || (isIP(host) === 4 && host.startsWith('127.'));
}

export function kafkaConnection(read: KafkaSettings): KafkaConnection {
  const { kafkaCaFile: ca, kafkaCertFile: cert, kafkaKeyFile: key, kafkaSaslMechanism: mechanism } = read;
  return {
    brokers: read.kafkaBrokers,
    ...(read.kafkaTls === 'on' && {
      tls: { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) },
    }),
    ...(mechanism !== 'none' && {
      sasl: {
        mechanism: mechanism.toLowerCase() as 'plain' | 'scram-sha-256' | 'scram-sha-512',
        username: read.kafkaSaslUsername!,
        password: read.kafkaSaslPassword!,
      },
    }),
    prefix: read.kafkaTopicPrefix,
  };
}
