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
  if (malformed.length > 0) throw new Error(`has entries that are not like host:9092: ${malformed.join(', ')}`);
  return entries;
}

/** kafkajs splits the address at the first colon, so an IPv6 address does not work. */
function isBroker(entry: string): boolean {
  const [host = '', port = '', ...rest] = entry.split(':');
  const number = /^\d{1,5}$/.test(port) ? Number(port) : 0;
  return rest.length === 0 && /^[a-z0-9_.-]{1,253}$/i.test(host) && number >= 1 && number <= 65_535;
}

function parsePrefix(text: string): string {
  if (!/^[\w.-]{1,100}$/.test(text))
    throw new Error('must be none, or have only letters, digits, dots, hyphens and underscores');
  return text === 'none' ? '' : text;
}

export const KAFKA = {
  KAFKA_BROKERS: setting.list('Addresses of the Kafka brokers, like `kafka-0:9092`.', parseBrokers),
  KAFKA_TLS: setting.oneOf('Whether to connect to the brokers with TLS.', 'on', 'off').default('off'),
  KAFKA_CA_FILE: setting.pemFile('Certificate authority of the brokers.').optional('the authorities of Node.js'),
  KAFKA_CERT_FILE: setting.pemFile('Client certificate of this process.').optional(),
  KAFKA_KEY_FILE: setting.pemFile('Private key of the client certificate.').optional(),
  KAFKA_SASL_MECHANISM: setting
    .oneOf('How this process authenticates with the brokers.', 'none', 'PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512')
    .default('none'),
  KAFKA_SASL_USERNAME: setting.text('User name. Requires a SASL mechanism.').optional(),
  KAFKA_SASL_PASSWORD: setting.secretText('Password. Requires a SASL mechanism.').optional(),
  KAFKA_TOPIC_PREFIX: setting
    .parsed('text, or `none`', 'Prefix of all topic and group names.', parsePrefix)
    .default('none'),
};
export type KafkaSettings = Settings<typeof KAFKA>;

export const checkKafka: Check<typeof KAFKA> = (read, fault) => {
  const { kafkaTls: tls, kafkaSaslMechanism: mechanism = 'none', kafkaCertFile: cert, kafkaKeyFile: key } = read;
  const needTls = { KAFKA_CA_FILE: read.kafkaCaFile, KAFKA_CERT_FILE: cert, KAFKA_KEY_FILE: key };
  for (const [name, value] of Object.entries(needTls))
    if (value !== undefined && tls === 'off') fault(name, 'requires TLS: set KAFKA_TLS=on');
  if ((cert === undefined) !== (key === undefined))
    fault(cert === undefined ? 'KAFKA_CERT_FILE' : 'KAFKA_KEY_FILE', 'must be set together with the other one');
  const needSasl = { KAFKA_SASL_USERNAME: read.kafkaSaslUsername, KAFKA_SASL_PASSWORD: read.kafkaSaslPassword };
  for (const [name, value] of Object.entries(needSasl)) {
    if (mechanism === 'none' && value !== undefined) fault(name, 'requires SASL: set KAFKA_SASL_MECHANISM');
    if (mechanism !== 'none' && value === undefined) fault(name, `is required for ${mechanism}`);
  }
  const far = Array.isArray(read.kafkaBrokers) && !read.kafkaBrokers.every(isLoopback);
  if (mechanism === 'PLAIN' && tls === 'off' && far)
    fault('KAFKA_SASL_MECHANISM', 'would send the password unencrypted. Use SCRAM-SHA-512, or set KAFKA_TLS=on');
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
