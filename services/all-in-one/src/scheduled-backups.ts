import { type BackupSummary, datedBackups, removeCutOff, writeDatedBackup } from '@waypost/backup';
import { background, within } from '@waypost/resilience';
import { errorFields, type HealthCheck, type Logger } from '@waypost/telemetry';

interface Schedule {
  readonly backupDir: string;
  /** In milliseconds. */
  readonly backupEvery: number;
  readonly backupKeep: number;
}

interface Deps {
  readonly backUp: (dir: string) => Promise<BackupSummary>;
  readonly now: () => Date;
  readonly logger: Logger;
}

/** If the clock is changed, this process notices within this time. */
const LOOK_EVERY_MS = 60_000;
const BACK_OFF = { first: 60_000, most: 3_600_000 };
/** The engines stop next, which ends a running backup and removes it. */
const STOP_MS = 1_000;

/**
 * The next backup is due `backupEvery` after the newest existing one. A restart therefore neither repeats nor skips a
 * backup.
 */
export function scheduleBackups(
  { backupDir, backupEvery, backupKeep }: Schedule,
  { backUp, now, logger }: Deps,
): { readonly health: HealthCheck; start(): void; stop(): Promise<void> } {
  const startedAt = now();
  let newest: Date | undefined;
  let problem: string | undefined;

  // An incomplete backup cannot be a running one: this process holds the lock of the folder and has not begun any.
  const cutOffRemoved = removeCutOff(backupDir).catch((error) =>
    logger.error('an interrupted backup could not be deleted; delete its folder', errorFields(error)),
  );
  const ageMs = (date: Date) => now().getTime() - date.getTime();
  const scheduled = background({
    backOff: BACK_OFF,
    async work() {
      await cutOffRemoved;
      // Ignore a backup whose date is too far in the future: the clock was wrong when it was made.
      newest = (await datedBackups(backupDir)).find(({ at }) => ageMs(at) >= -backupEvery)?.at;
      const dueIn = newest === undefined ? 0 : backupEvery - ageMs(newest);
      if (dueIn <= 0) {
        const at = now();
        const { dir, ...summary } = await writeDatedBackup(backupDir, at, backupKeep, backUp);
        newest = at;
        logger.info('backup created', { dir, ...summary });
      }
      problem = undefined;
      return dueIn <= 0 ? LOOK_EVERY_MS : Math.min(dueIn, LOOK_EVERY_MS);
    },
    onFailure(error) {
      problem = (error as Error).message;
      logger.error('backup failed', errorFields(error));
    },
  });
  return {
    health: {
      required: false,
      // This does not read the folder, because a read of a folder that hangs would block a thread forever.
      check: () => {
        if (problem !== undefined) return { ok: false, detail: `the last backup into ${backupDir} failed: ${problem}` };
        const madeAt = newest?.toISOString() ?? null;
        if (ageMs(newest ?? startedAt) <= 2 * backupEvery) return { ok: true, newest: madeAt };
        return {
          ok: false,
          detail: `a backup into ${backupDir} is overdue; the newest: ${madeAt ?? 'none'}`,
          newest: madeAt,
        };
      },
    },
    start: () => scheduled.start(),
    stop: () => within(scheduled.stop(), STOP_MS, undefined),
  };
}
