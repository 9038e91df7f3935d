import { rest } from '@waypost/resilience';
import type pg from 'pg';
import type { Host } from './address.ts';

const ASK_EVERY_MS = 500;
/** The first part of the name of a WAL file is the timeline, which each promotion raises. A standby has none. */
const TIMELINE = `
SELECT CASE WHEN pg_is_in_recovery() THEN '' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS timeline`;

/** `drop` closes it at once, with this error for its statement. */
type Connection = pg.Client & { drop(error?: Error): void };
type Connect = (host: Host) => Connection;

/**
 * Knows which of several servers is the primary. Of two primaries, the one with the higher timeline was promoted later,
 * and the other is never used again. While there are connections, each server is asked twice a second.
 */
export class Primary {
  readonly #hosts: readonly Host[];
  /** Each connection and its server, once that is known. */
  readonly #connections = new Map<Connection, Host | undefined>();
  /** The last answer of each server. It is empty if the server is a standby or does not answer. */
  #timelines = new Map<Host, string>();
  #asking: { readonly ending: AbortController; readonly first: Promise<void> } | undefined;
  #at: Host;
  #timeline = '0';

  constructor(hosts: readonly Host[]) {
    this.#hosts = hosts;
    this.#at = hosts[0]!;
  }

  /** Resolves to the server for this connection, which is closed when another becomes the primary. */
  async serverFor(connection: Connection, connect: Connect): Promise<Host> {
    this.#connections.set(connection, undefined);
    connection.once('end', () => this.#forget(connection));
    this.#asking ??= this.#ask(connect);
    await this.#asking.first.catch((error: unknown) => {
      this.#forget(connection);
      throw error;
    });
    this.#connections.set(connection, this.#at);
    return this.#at;
  }

  #forget(connection: Connection): void {
    this.#connections.delete(connection);
    if (this.#connections.size > 0) return;
    this.#asking?.ending.abort();
    this.#asking = undefined;
  }

  #ask(connect: Connect) {
    const ending = new AbortController();
    this.#timelines = new Map();
    const answers = this.#hosts.map(
      (host) => new Promise<unknown>((resolve) => void this.#askOne(host, connect, ending.signal, resolve)),
    );
    const first = Promise.all(answers).then((failures) => {
      if ([...this.#timelines.values()].includes(this.#timeline)) return;
      const failure = failures.find((one) => one !== undefined) ?? 'all are standbys';
      const code = (failure as { code?: unknown }).code ?? '57P03'; // cannot connect now
      throw Object.assign(new Error(`none of the hosts in DATABASE_URL is a primary: ${failure}`), { code });
    });
    return { ending, first };
  }

  async #askOne(host: Host, connect: Connect, signal: AbortSignal, onAnswer: (failure?: unknown) => void) {
    while (!signal.aborted) {
      const client = connect(host);
      try {
        await client.connect();
        while (!signal.aborted) {
          const { rows } = await client.query<{ timeline: string }>(TIMELINE);
          this.#note(host, rows[0]!.timeline);
          onAnswer();
          await rest(ASK_EVERY_MS, signal);
        }
      } catch (error) {
        if (!signal.aborted) this.#note(host, '');
        onAnswer(error);
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
      const isAsGood = timeline === this.#timeline && this.#timelines.get(this.#at) === '';
      if (timeline > this.#timeline || isAsGood) this.#follow(other, timeline);
    }
  }

  #follow(host: Host, timeline: string): void {
    this.#timeline = timeline;
    if (host === this.#at) return;
    this.#at = host;
    const error = new Error(`Connection terminated: the primary is now ${host.host}:${host.port}`);
    for (const [connection, server] of this.#connections) if (server !== undefined) connection.drop(error);
  }
}
