/** What every process of its own does: begin, wait for its neighbours, stop in reverse order. */
import type { RequestListener } from 'node:http';
import type { RunningCommands } from '@waypost/command-line';
import { unavailable } from '@waypost/domain';
import { type BackOff, backOffMs, rest } from '@waypost/resilience';
import { boundedServer, listen } from './listen.ts';
import { createLogger, errorFields, type Logger } from './logger.ts';
import { createMetrics, type Metrics, processGauges } from './metrics.ts';
import { listenForOperator } from './operator.ts';
import { ConfigError, type Environment } from './settings.ts';
import type { ProcessConfig } from './shared-settings.ts';
import { drainServer, exitAfter, STOP_DEADLINE_MS, stopOnSignal } from './stop.ts';
import { startTracing } from './tracing.ts';

/** What was started, to be stopped in reverse. */
export class Stack {
  readonly #steps: (() => Promise<void> | void)[] = [];

  push(stop: () => Promise<void> | void): void {
    this.#steps.push(stop);
  }

  /** Each step is tried, whatever the others do; the first failure is thrown at the end. */
  async unwind(): Promise<void> {
    const failures: unknown[] = [];
    for (const stop of this.#steps.splice(0).reverse()) {
      try {
        await stop();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}

export interface Service {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly stack: Stack;
  /** For what the process can do nothing about: it ends with 1, and its supervisor starts a fresh one. */
  readonly fatal: (error: Error) => void;
  readonly onError: (what: string) => (error: unknown) => void;
  /** A neighbour that may not be there yet: tried again until it is, and closed when the service stops. */
  eventual<T>(what: string, open: () => Promise<T>, close?: (opened: T) => Promise<void>): Eventual<T>;
  /** Serves `app` until the service stops. */
  serve(app: RequestListener, port: number, host: string): Promise<void>;
  /** Answers operator commands on `socket` until the service stops; with `none` nobody can give any. */
  command(commands: RunningCommands, socket: string): Promise<void>;
}

/** Runs `start` and stops on a signal. Says `Ready` on stdout when `start` resolves. */
export async function runService<Config extends ProcessConfig>(
  name: string,
  readConfig: (environment: Environment) => Config,
  start: (service: Service, config: Config) => Promise<void>,
): Promise<void> {
  const stack = new Stack();
  try {
    const config = readConfig(process.env);
    const logger = createLogger(name, config.logLevel);
    const onError = (what: string) => (error: unknown) => logger.error(what, errorFields(error));
    const metrics = createMetrics();
    metrics.gauges('process', processGauges);
    const fatal = (error: Error) => {
      logger.error('ending: this process cannot go on', errorFields(error));
      // What is stuck may hold up the stop as well.
      exitAfter(STOP_DEADLINE_MS, onError('did not stop cleanly'));
      void stack
        .unwind()
        .catch(onError('stopping'))
        .finally(() => process.exit(1));
    };
    stopOnSignal(() => stack.unwind(), onError('did not stop cleanly'));
    process.on('unhandledRejection', onError('unhandled rejection'));
    const tracing = await startTracing(name, config);
    stack.push(() => tracing.stop());
    const service: Service = {
      logger,
      metrics,
      stack,
      fatal,
      onError,
      eventual: (what, open, close = async () => undefined) => {
        const neighbour = eventual(what, open, close, logger);
        stack.push(() => neighbour.stop());
        return neighbour;
      },
      serve: async (app, port, host) => {
        const server = boundedServer(app);
        await listen(server, port, host);
        stack.push(() => drainServer(server));
      },
      command: async (commands, socket) => {
        if (socket === 'none') return;
        const listening = await listenForOperator(socket, commands, onError('operator command failed'));
        stack.push(() => listening.stop());
      },
    };
    await start(service, config);
    process.stdout.write('Ready\n');
  } catch (error) {
    process.stderr.write(
      `${error instanceof ConfigError ? error.message : `${name} could not start: ${(error as Error).stack}`}\n`,
    );
    await stack.unwind().catch(() => undefined);
    process.exit(1);
  }
}

export interface Eventual<T> {
  /** Throws `unavailable` until it is there. */
  now(): T;
  /** Resolves when it is. */
  readonly there: Promise<T>;
}

const BACK_OFF: BackOff = { first: 200, most: 3_000 };

/** Tries to open a neighbour until it succeeds, with growing pauses and jitter, so that services start in any order. */
export function eventual<T>(
  what: string,
  open: () => Promise<T>,
  close: (opened: T) => Promise<void>,
  logger: Logger,
): Eventual<T> & { stop(): Promise<void> } {
  let opened: T | undefined;
  const stopping = new AbortController();
  const there = (async () => {
    for (let attempt = 1; ; attempt++) {
      try {
        opened = await open();
        return opened;
      } catch (error) {
        if (stopping.signal.aborted) throw error;
        logger.warn(`${what} is not there yet`, { error: error instanceof Error ? error.message : String(error) });
        await rest(backOffMs(BACK_OFF, attempt), stopping.signal);
        if (stopping.signal.aborted) throw error;
      }
    }
  })();
  there.catch(() => undefined); // whoever needs it asks `now` or `there`
  return {
    now: () => {
      if (opened === undefined) throw unavailable(`The ${what} cannot be reached right now.`);
      return opened;
    },
    there,
    stop: async () => {
      stopping.abort();
      await there.then(close, () => undefined);
    },
  };
}
