/** How a process is told where Kafka is and who it is there. Without kafkajs: config.ts of each service imports it. */
import { isIP } from 'node:net';
import { type Environment, parsed, type Setting, setting } from '@waypost/service-kit';

export interface KafkaSettings {
  readonly KAFKA_BROKERS: readonly string[];
  readonly KAFKA_TLS: 'on' | 'off';
  /** PEM. Without it, the authorities that Node knows. */
  readonly KAFKA_CA_FILE?: string;
  readonly KAFKA_CERT_FILE?: string;
  readonly KAFKA_KEY_FILE?: string;
  readonly KAFKA_SASL_MECHANISM: 'none' | 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512';
  readonly KAFKA_SASL_USERNAME?: string;
  readonly KAFKA_SASL_PASSWORD?: string;
  /** Before each topic and group name. */
  readonly KAFKA_TOPIC_PREFIX: string;
}

/** What `kafkaBus` and `prepareTopics` take of it. */
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

const brokers = setting.list((entries) => {
  const malformed = entries.filter((entry) => !isBroker(entry));
  if (malformed.length > 0) throw new Error(`names what is not like host:9092: ${malformed.join(', ')}`);
  return entries;
});

/** kafkajs splits at the first colon, so an IPv6 broker needs a name. */
function isBroker(entry: string): boolean {
  const [host = '', port = '', ...more] = entry.split(':');
  const number = /^\d{1,5}$/.test(port) ? Number(port) : 0;
  return more.length === 0 && /^[a-z0-9_.-]{1,253}$/i.test(host) && number >= 1 && number <= 65_535;
}

export const KAFKA_SETTINGS: Record<keyof KafkaSettings, Setting> = {
  KAFKA_BROKERS: setting.required(brokers),
  KAFKA_TLS: setting.oneOf('on', 'off'),
  KAFKA_CA_FILE: setting.pemFile,
  KAFKA_CERT_FILE: setting.pemFile,
  KAFKA_KEY_FILE: setting.pemFile,
  KAFKA_SASL_MECHANISM: setting.oneOf('none', 'PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'),
  KAFKA_SASL_USERNAME: setting.text,
  KAFKA_SASL_PASSWORD: setting.secretText,
  KAFKA_TOPIC_PREFIX: parsed((text) => {
    if (!/^[\w.-]{1,100}$/.test(text))
      throw new Error('must be none, or letters, digits, dots, hyphens and underscores');
    return text === 'none' ? '' : text;
  }),
};

export const KAFKA_DEFAULTS: Environment = {
  KAFKA_TLS: 'off',
  KAFKA_SASL_MECHANISM: 'none',
  KAFKA_TOPIC_PREFIX: 'none',
};

/** What no setting shows alone. */
export function checkKafka(read: Partial<KafkaSettings>, fault: (name: string, words: string) => void): void {
  const { KAFKA_TLS: tls, KAFKA_SASL_MECHANISM: mechanism = 'none' } = read;
  for (const name of ['KAFKA_CA_FILE', 'KAFKA_CERT_FILE', 'KAFKA_KEY_FILE'] as const)
    if (read[name] !== undefined && tls === 'off') fault(name, 'is for TLS: set KAFKA_TLS=on');
  if ((read.KAFKA_CERT_FILE === undefined) !== (read.KAFKA_KEY_FILE === undefined))
    fault(
      read.KAFKA_CERT_FILE === undefined ? 'KAFKA_CERT_FILE' : 'KAFKA_KEY_FILE',
      'must be given with the other one',
    );
  for (const name of ['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'] as const) {
    if (mechanism === 'none' && read[name] !== undefined) fault(name, 'is for SASL: set KAFKA_SASL_MECHANISM');
    if (mechanism !== 'none' && read[name] === undefined) fault(name, `must be given for ${mechanism}`);
  }
  const far = Array.isArray(read.KAFKA_BROKERS) && !read.KAFKA_BROKERS.every(isLoopback);
  if (mechanism === 'PLAIN' && tls === 'off' && far)
    fault('KAFKA_SASL_MECHANISM', 'would send the password in the clear: use SCRAM-SHA-512, or KAFKA_TLS=on');
}

function isLoopback(broker: string): boolean {
  const host = broker.slice(0, broker.lastIndexOf(':'));
  return host === 'localhost' || (isIP(host) === 4 && host.startsWith('127.'));
}

export function kafkaConnection(read: KafkaSettings): KafkaConnection {
  const { KAFKA_CA_FILE: ca, KAFKA_CERT_FILE: cert, KAFKA_KEY_FILE: key, KAFKA_SASL_MECHANISM: mechanism } = read;
  return {
    brokers: read.KAFKA_BROKERS,
    ...(read.KAFKA_TLS === 'on' && {
      tls: { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) },
    }),
    ...(mechanism !== 'none' && {
      sasl: {
        mechanism: mechanism.toLowerCase() as 'plain' | 'scram-sha-256' | 'scram-sha-512',
        username: read.KAFKA_SASL_USERNAME!,
        password: read.KAFKA_SASL_PASSWORD!,
      },
    }),
    prefix: read.KAFKA_TOPIC_PREFIX,
  };
}
