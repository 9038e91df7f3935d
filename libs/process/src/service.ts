/** Each process starts its parts one after another and stops them in reverse order. */
import type { RequestListener } from 'node:http';
import { ConfigError, type Environment, type ProcessConfig } from '@waypost/settings';
import { createLogger, createMetrics, errorFields, type Logger, type Metrics, startTracing } from '@waypost/telemetry';
import type { TrustedProxies } from './client-address.ts';
import { collectWhenIdle } from './idle-memory.ts';
import { serve } from './listen.ts';
import { listenForOperator, type OperatorAnswers } from './operator.ts';
import { killAfter, STOP_DEADLINE_MS, stopOnSignal } from './stop.ts';

export interface Service {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly stack: AsyncDisposableStack;
  /** Reports an error from which the process cannot recover. It exits with 1, and its supervisor starts a new one. */
  readonly fatal: (error: Error) => void;
  readonly onError: (what: string) => (error: unknown) => void;
  /** As `serve` of `listen.ts`. */
  serve(app: RequestListener, port: number, host: string, proxies?: TrustedProxies): Promise<void>;
  /** Answers the operator on `socket` until the service stops; `none` disables that. */
  operate(answers: OperatorAnswers, socket: string): Promise<void>;
}

/** Runs `start` and stops on a signal. Prints `Ready` on stdout once `start` resolves. */
export async function runService<Config extends ProcessConfig>(
  name: string,
  readConfig: (environment: Environment) => Config,
  start: (service: Service, config: Config) => Promise<void>,
): Promise<void> {
  const stack = new AsyncDisposableStack();
  let isStopping = () => false;
  try {
    const config = readConfig(process.env);
    const logger = createLogger(name, config.logLevel);
    const onError = (what: string) => (error: unknown) => logger.error(what, errorFields(error));
    const metrics = createMetrics();
    metrics.collectProcess();
    const fatal = (error: Error) => {
      logger.error('stopping: this process cannot continue', errorFields(error));
      // The part that caused the error may also block the stop.
      killAfter(STOP_DEADLINE_MS, onError('did not stop cleanly'));
      void stack
        .disposeAsync()
        .catch(onError('stopping'))
        .finally(() => process.exit(1));
    };
    isStopping = stopOnSignal(() => stack.disposeAsync(), onError('did not stop cleanly'));
    process.on('unhandledRejection', onError('unhandled rejection'));
    const tracing = await startTracing(name, config);
    stack.defer(() => tracing.stop());
    stack.defer(collectWhenIdle());
    const service: Service = {
      logger,
      metrics,
      stack,
      fatal,
      onError,
      serve: async (app, port, host, proxies) => {
        const serving = await serve(app, port, host, proxies);
        stack.defer(() => serving.stop());
      },
      operate: async (answers, socket) => {
        if (socket === 'none') return;
        const listening = await listenForOperator(socket, answers, onError('operator command failed'));
        stack.defer(() => listening.stop());
      },
    };
    await start(service, config);
    if (!isStopping()) process.stdout.write('Ready\n');
  } catch (error) {
    // A signal makes the start fail. The stop that the signal began then ends the process.
    if (isStopping()) return;
    process.stderr.write(
      `${error instanceof ConfigError ? error.message : `${name} could not start: ${(error as Error).stack}`}\n`,
    );
    await stack.disposeAsync().catch(() => undefined);
    process.exit(1);
  }
}
