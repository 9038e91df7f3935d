import type { Socket } from 'node:net';
import pg from 'pg';
import type { Primary } from './primary.ts';

type ConnectionConfig = pg.ClientConfig & { readonly primary?: Primary | undefined };

/**
 * Closes itself after a statement that timed out here. pg would use the connection again, but the server may still run
 * that statement or the ROLLBACK after it. The next user would then continue in that transaction.
 */
export class Connection extends pg.Client {
  readonly #config: ConnectionConfig;

  constructor(config: ConnectionConfig) {
    super(config);
    this.#config = config;
    // The pool does not listen to a connection in use. If it breaks, its statement fails. Without a listener, the
    // 'error' event would also end the process.
    this.on('error', () => undefined);
  }

  override connect(...args: never[]): never {
    const connect = super.connect as (...all: unknown[]) => unknown;
    const { primary, password, ...config } = this.#config;
    if (primary === undefined) return connect.apply(this, args) as never;
    const [callback] = args as ((error?: unknown) => void)[];
    const connected = primary
      .serverFor(this, (host) => new Connection({ ...config, ...(password && { password }), ...host }))
      .then((server) => connect.call(Object.assign(this, server)));
    if (callback === undefined) return connected as never;
    connected.then(() => callback(), callback);
    return undefined as never;
  }

  override query(...args: never[]): never {
    const answer: unknown = (super.query as (...all: never[]) => unknown).apply(this, args);
    if (answer instanceof Promise)
      answer.catch((error: unknown) => {
        if (error instanceof Error && error.message === READ_TIMEOUT) this.drop();
      });
    return answer as never;
  }

  /** Its statement fails with this error. */
  drop(error?: Error): void {
    (this as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream.destroy(error);
  }
}

/**
 * A connection to a pooler. The next statement may run in another session, where no statement is prepared. PgBouncer
 * remembers prepared statements since 1.21, if it is configured so; unnamed ones work with every version.
 */
export class PooledConnection extends Connection {
  override query(...[first, ...others]: never[]): never {
    const unnamed =
      typeof first === 'object' && first !== null && 'name' in first
        ? { ...(first as object), name: undefined }
        : first;
    return super.query(unnamed as never, ...others);
  }
}

/** pg's error for `query_timeout` has this message and no code. */
const READ_TIMEOUT = 'Query read timeout';
