/**
 * Only this file imports code from kafkajs; all other files import only its types. It repairs faults, passes
 * messages to our logger and sets shorter time limits. docs/kafkajs-pitfalls.md numbers the faults of kafkajs.
 */
import { createRequire } from 'node:module';
import { within } from '@waypost/resilience';
import type { Logger } from '@waypost/telemetry';
import type * as KafkaJs from 'kafkajs';
import kafkajs, { type Kafka, type logCreator, type SASLOptions } from 'kafkajs';
import type { KafkaConnection } from './settings.ts';

const require = createRequire(import.meta.url);

interface RequestQueue {
  readonly pending: readonly unknown[];
  readonly throttledUntil: number;
}

/**
 * Without this, kafkajs restarts a timer with a negative delay, which uses 4 to 8 % of a core
 * (docs/kafkajs-pitfalls.md, 1). The timer is needed only if requests wait or Kafka limits us. Remove this when kafkajs
 * releases its fix (#1556).
 */
function cureIdleSpin(): void {
  const { prototype } = require('kafkajs/src/network/requestQueue') as {
    prototype: { scheduleCheckPendingRequests(this: RequestQueue): void };
  };
  const schedule = prototype.scheduleCheckPendingRequests;
  prototype.scheduleCheckPendingRequests = function scheduleIfNeeded() {
    if (this.pending.length > 0 || this.throttledUntil > Date.now()) schedule.call(this);
  };
}
cureIdleSpin();

interface ConnectionPool {
  readonly pool: readonly { rejectRequests(error: unknown): void }[];
  send(request: unknown): Promise<unknown>;
  destroy(): Promise<unknown>;
}

/** A handshake with a broker that works takes some milliseconds. */
const HANDSHAKE_WITHIN_MS = 2_000;

/**
 * A frozen broker accepts connections and answers nothing. kafkajs would keep these connections, and ask the same
 * broker again while others answer (docs/kafkajs-pitfalls.md, 19). So a broker that gave no answer in time is no longer
 * connected, and one that does not answer the handshake counts as one that cannot be reached.
 */
function cureHangingBroker(): void {
  const { prototype: ofPool } = require('kafkajs/src/network/connectionPool') as { prototype: ConnectionPool };
  const { prototype: ofBroker } = require('kafkajs/src/broker') as {
    prototype: { connect(): Promise<void>; readonly connectionPool: ConnectionPool };
  };
  const { send } = ofPool;
  const { connect } = ofBroker;
  const close = async (connections: ConnectionPool, error: unknown) => {
    // Otherwise the connections would stay until all their requests have timed out.
    for (const connection of connections.pool) connection.rejectRequests(error);
    await connections.destroy().catch(() => undefined);
  };
  ofPool.send = async function sendOrClose(request) {
    try {
      return await send.call(this, request);
    } catch (error) {
      if (error instanceof kafkajs.KafkaJSRequestTimeoutError) await close(this, error);
      throw error;
    }
  };
  ofBroker.connect = async function connectWholly() {
    const late = new kafkajs.KafkaJSConnectionError('The broker did not answer the handshake in time');
    try {
      const connected = connect.call(this).then(() => true);
      if (!(await within(connected, HANDSHAKE_WITHIN_MS, false))) throw late;
    } catch (error) {
      await close(this.connectionPool, error);
      throw error instanceof kafkajs.KafkaJSRequestTimeoutError ? late : error;
    }
  };
}
cureHangingBroker();

/**
 * When a consumer ends while kafkajs replaces its fetchers, the new ones get nothing without ever waiting, and the
 * process does nothing else (docs/kafkajs-pitfalls.md, 20).
 */
function cureEndlessFetching(): void {
  const { prototype } = require('kafkajs/src/consumer/runner') as {
    prototype: { readonly running: boolean; fetch(nodeId: unknown): Promise<unknown> };
  };
  const { fetch } = prototype;
  prototype.fetch = async function fetchWhileRunning(nodeId) {
    if (!this.running) throw new kafkajs.KafkaJSError('The consumer has ended');
    return fetch.call(this, nodeId);
  };
}
cureEndlessFetching();

/** After a time-out kafkajs looks for new leaders only when they are this old (docs/kafkajs-pitfalls.md, 18, 19). */
export const METADATA_MAX_AGE_MS = 2_000;

export interface ConnectionOptions extends Partial<KafkaConnection> {
  /** One or more brokers of the cluster, each as `host:port`. */
  readonly brokers: readonly string[];
  readonly clientId: string;
  /** kafkajs logs every attempt to reach a broker that is down, so its messages are logged at `debug`. */
  readonly logger?: Pick<Logger, 'debug'>;
}

export interface Patience {
  /** A frozen broker takes this much time for each attempt. */
  readonly requestTimeoutMs: number;
  readonly retries: number;
}

/**
 * The default limits let a frozen broker block a caller for over 45 s, and one that is down for 16 s
 * (docs/kafkajs-pitfalls.md, 7).
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
 * Clients in other languages choose the same partition with this hash of the key. Without an explicit choice kafkajs
 * logs a warning.
 */
export const partitioner = kafkajs.Partitioners.DefaultPartitioner;

export const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ConfigResourceTypes, ResourcePatternTypes } =
  kafkajs;
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

/** Returns true if the error may end without help: the brokers are down, busy, or electing leaders. */
export function isPassing(error: unknown): boolean {
  const { name, retriable, cause, message } = (error ?? {}) as KafkaError;
  // kafkajs uses these names for any last error, both for a refused connection and for a programming error.
  const isWrapper = name === 'KafkaJSNumberOfRetriesExceeded' || name === 'KafkaJSNonRetriableError';
  if (isWrapper && cause !== undefined && cause !== null) return isPassing(cause);
  // The error "Broker not connected" has no class. It occurs while a connection is being opened.
  return retriable === true || AWAY.has(String(name)) || message === 'Broker not connected';
}

const LOST = new Set(['REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID', 'FENCED_INSTANCE_ID']);

/** Returns true if other members of the group have taken over our partitions (docs/kafkajs-pitfalls.md, 11). */
export function isLostMembership(error: unknown): boolean {
  return LOST.has(String(((error ?? {}) as KafkaError).type));
}

/** Resolves to true if `work` settled within the time. The work itself continues in any case. */
export function settlesWithin(work: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  const settled = work.then(
    () => true,
    () => true,
  );
  return within(settled, timeoutMs, false);
}
