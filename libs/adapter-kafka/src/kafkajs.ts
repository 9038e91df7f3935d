/**
 * kafkajs configured for our use: without its idle spin, with our logger, and with no time-out left at a default that
 * hangs. docs/kafkajs-pitfalls.md numbers its pitfalls. Other files in this package import only types from kafkajs.
 */
import { createRequire } from 'node:module';
import { within } from '@waypost/resilience';
import type { Logger } from '@waypost/telemetry';
import type * as KafkaJs from 'kafkajs';
import kafkajs, { type Kafka, type logCreator, type SASLOptions } from 'kafkajs';
import type { KafkaConnection } from './settings.ts';

interface RequestQueue {
  readonly pending: readonly unknown[];
  readonly throttledUntil: number;
}

/**
 * Each connection re-arms a timer with a negative delay: 4 to 8 % of a core while idle (docs/kafkajs-pitfalls.md, 1).
 * With nothing to send and no throttling there is nothing to wait for. Remove when kafkajs releases its fix (#1556).
 */
function cureIdleSpin(): void {
  const require = createRequire(import.meta.url);
  const { prototype } = require('kafkajs/src/network/requestQueue') as {
    prototype: { scheduleCheckPendingRequests(this: RequestQueue): void };
  };
  const schedule = prototype.scheduleCheckPendingRequests;
  prototype.scheduleCheckPendingRequests = function scheduleIfNeeded() {
    if (this.pending.length > 0 || this.throttledUntil > Date.now()) schedule.call(this);
  };
}
cureIdleSpin();

/**
 * When a broker accepts a connection but does not answer the first request (it is frozen), kafkajs keeps the connection
 * without the API versions of the broker: every later request of that client fails with "Broker not connected" until
 * the connection closes. So we close it, and the next attempt starts over.
 */
function cureHalfConnectedBroker(): void {
  const require = createRequire(import.meta.url);
  const { prototype } = require('kafkajs/src/broker') as {
    prototype: { connect(): Promise<void>; disconnect(): Promise<void> };
  };
  const connect = prototype.connect;
  prototype.connect = async function connectWholly() {
    try {
      await connect.call(this);
    } catch (error) {
      await this.disconnect().catch(() => undefined);
      throw error;
    }
  };
}
cureHalfConnectedBroker();

export interface ConnectionOptions extends Partial<KafkaConnection> {
  /** `host:port` of some brokers of the cluster. */
  readonly brokers: readonly string[];
  readonly clientId: string;
  /** kafkajs logs every attempt at a dead broker; that goes to `debug`. The caller logs what matters. */
  readonly logger?: Pick<Logger, 'debug'>;
}

export interface Patience {
  /** For one response: a frozen broker costs this much per attempt. */
  readonly requestTimeoutMs: number;
  readonly retries: number;
}

/**
 * With the defaults a frozen broker blocks a caller for over 45 s, a dead one for 16 s (docs/kafkajs-pitfalls.md, 7).
 */
export function connectKafka({ brokers, tls, sasl, clientId, logger }: ConnectionOptions, patience: Patience): Kafka {
  const logToOurs: logCreator =
    () =>
    ({ namespace, log: { message, timestamp: _, stack: __, ...more } }) => {
      logger?.debug(`kafkajs ${namespace}: ${message}`, more);
    };
  return new kafkajs.Kafka({
    brokers: [...brokers],
    clientId,
    ...(tls !== undefined && { ssl: tls }),
    ...(sasl !== undefined && { sasl: sasl as SASLOptions }),
    connectionTimeout: 1_000,
    requestTimeout: patience.requestTimeoutMs,
    enforceRequestTimeout: true,
    retry: { retries: patience.retries, initialRetryTime: 100, maxRetryTime: 1_000 },
    logLevel: kafkajs.logLevel.WARN,
    logCreator: logToOurs,
  });
}

/**
 * Java's hash of the key, so that other clients find a key in the same partition. Setting it explicitly also silences a
 * warning.
 */
export const partitioner = kafkajs.Partitioners.DefaultPartitioner;

export const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;
export type AclOperationTypes = KafkaJs.AclOperationTypes;
export type AclResourceTypes = KafkaJs.AclResourceTypes;

interface KafkaError {
  readonly name?: unknown;
  readonly type?: unknown;
  readonly retriable?: unknown;
  readonly cause?: unknown;
  readonly message?: unknown;
}

const AWAY = new Set([
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSRequestTimeoutError',
  'KafkaJSBrokerNotFound',
  'KafkaJSNoBrokerAvailableError',
  'KafkaJSMetadataNotLoaded',
  'KafkaJSTopicMetadataNotLoaded',
  'KafkaJSGroupCoordinatorNotFound',
  'KafkaJSLockTimeout',
]);

/** Whether the error may pass without intervention: the brokers are away, busy, or electing leaders. */
export function isPassing(error: unknown): boolean {
  const { name, retriable, cause, message } = (error ?? {}) as KafkaError;
  // kafkajs wraps its last error: a refused connection (as "non-retriable") and a programming error alike.
  const isWrapper = name === 'KafkaJSNumberOfRetriesExceeded' || name === 'KafkaJSNonRetriableError';
  if (isWrapper && cause !== undefined && cause !== null) return isPassing(cause);
  // The last error has no class: a request was made while the connection was being opened.
  return retriable === true || AWAY.has(String(name)) || message === 'Broker not connected';
}

const LOST = new Set(['REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID', 'FENCED_INSTANCE_ID']);

/** The group has rebalanced, and other members own this one's partitions (docs/kafkajs-pitfalls.md, 11). */
export function isLostMembership(error: unknown): boolean {
  return LOST.has(String(((error ?? {}) as KafkaError).type));
}

/** Resolves to whether `work` settled within the time. The work continues either way. */
export function settlesWithin(work: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  const settled = work.then(
    () => true,
    () => true,
  );
  return within(settled, timeoutMs, false);
}
