/** The order of the start is folder, engines, services, listeners. The order of the stop is the reverse. */
import { newFirstRun } from '@waypost/link-api';
import { collectWhenIdle } from '@waypost/process';
import { createLogger, errorFields, type Logger, startTracing } from '@waypost/telemetry';
import type { Config } from './config.ts';
import { KNOWN_MIGRATIONS, openEngines, takeFolder } from './engines.ts';
import { expectFolderVersion, writeFolderVersion } from './folder-version.ts';
import { answerOperator, startListeners } from './listeners.ts';
import { expectRestored } from './restore.ts';
import { startServices } from './services.ts';

export interface Waypost {
  readonly operatorSocket: string;
  readonly logger: Logger;
  /** Resolves to the one-time address that creates the first account, or to undefined if an account exists. */
  firstRunUrl(): Promise<string | undefined>;
  stop(): Promise<void>;
}

/** Use `listeners: false` to run operator commands while Waypost is stopped. Throws `FolderInUse`. */
export async function startWaypost(config: Config, { listeners }: { readonly listeners: boolean }): Promise<Waypost> {
  const stack = new AsyncDisposableStack();
  try {
    takeFolder(config.dataDir, stack);
    expectRestored(config.dataDir);
    expectFolderVersion(config.dataDir, KNOWN_MIGRATIONS);
    writeFolderVersion(config.dataDir, KNOWN_MIGRATIONS);
    const logger = createLogger('waypost', config.logLevel);
    const tracing = await startTracing('waypost', config, 'in_process');
    stack.defer(() => tracing.stop());
    stack.defer(collectWhenIdle());
    const onError = (what: string) => (error: unknown) => logger.error(what, errorFields(error));

    const service = { logger, onError, stack };
    const engines = await openEngines(config, service);
    // Without listeners, nothing else may run either: no visitor threads, no feed polls and no scheduled backups.
    const served = listeners ? config : { ...config, redirectWorkers: 0, feeds: 'none' as const, backupDir: undefined };
    const services = await startServices(served, engines, service);
    if (listeners) await startListeners(config, services, service);
    const operatorSocket = await answerOperator(config.dataDir, services, service, { isPublic: listeners });
    return {
      operatorSocket,
      logger,
      firstRunUrl: async () => {
        const token = await newFirstRun(engines.accounts, new Date());
        return token && `${config.baseUrl}/first-run/${token}`;
      },
      stop: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}
