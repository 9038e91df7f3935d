import { rest } from '@waypost/resilience';
import type pg from 'pg';
import type { Host } from './address.ts';
import type { Connection } from './connection.ts';

const ASK_EVERY_MS = 500;
/** The first part of the name of a WAL file is the timeline, which each promotion raises. A standby has none. */
const TIMELINE = `
SELECT CASE WHEN pg_is_in_recovery() THEN '' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS timeline`;

/**
 * Knows which of several servers is the primary, and asks each twice a second. Of two primaries, the one with the
 * higher timeline was promoted later, and the other is never used again.
 */
export class Primary {
  readonly #hosts: readonly Host[];
  readonly #connect: (host: Host) => Connection;
  /** The last answer of each server. It is empty if the server is a standby or does not answer. */
  readonly #timelines = new Map<Host, string>();
  readonly #connections = new Set<Connection>();
  readonly #stopping = new AbortController();
  #at: Host;
  #timeline = '';
  #failure: unknown;

  constructor(hosts: readonly Host[], connect: (host: Host) => Connection) {
    this.#hosts = hosts;
    this.#connect = connect;
    this.#at = hosts[0]!;
  }

  get at(): Host {
    return this.#at;
  }

  /** Resolves when the primary is known. Rejects if there is none. */
  async find(): Promise<void> {
    await Promise.all(this.#hosts.map((host) => new Promise<void>((resolve) => void this.#watch(host, resolve))));
    if (this.#timeline !== '') return;
    this.stop();
    const last = this.#failure instanceof Error ? `. The last error: ${this.#failure.message}` : '';
    throw new Error(`none of the hosts in DATABASE_URL is a primary that answers${last}`);
  }

  /** Closes this connection when another server becomes the primary. */
  keep(connection: Connection): void {
    this.#connections.add(connection);
    connection.once('end', () => this.#connections.delete(connection));
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #watch(host: Host, onAnswer: () => void): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const client = this.#connect(host);
      try {
        await client.connect();
        while (!signal.aborted) {
          const { rows } = await (client as pg.Client).query<{ timeline: string }>(TIMELINE);
          this.#note(host, rows[0]!.timeline);
          onAnswer();
          await rest(ASK_EVERY_MS, signal);
        }
      } catch (error) {
        this.#failure = error;
        this.#note(host, '');
        onAnswer();
        await rest(ASK_EVERY_MS, signal);
      } finally {
        client.drop();
      }
    }
  }

  #note(host: Host, timeline: string): void {
    this.#timelines.set(host, timeline);
    if (this.#timelines.size < this.#hosts.length) return;
    for (const [other, timeline] of this.#timelines) {
      const isAsGood = timeline !== '' && timeline === this.#timeline && this.#timelines.get(this.#at) === '';
      if (timeline > this.#timeline || isAsGood) this.#follow(other, timeline);
    }
  }

  #follow(host: Host, timeline: string): void {
    this.#timeline = timeline;
    if (host === this.#at) return;
    this.#at = host;
    const error = new Error(`Connection terminated: the primary is now ${host.host}:${host.port}`);
    for (const connection of this.#connections) connection.drop(error);
  }
}
