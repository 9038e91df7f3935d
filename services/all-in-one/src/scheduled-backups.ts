/** `BACKUP_DIR`: backups that are made by themselves, and how the last one went. */
import { type BackupSummary, datedBackups, removeCutOff, writeDatedBackup } from '@waypost/backup';
import { background, within } from '@waypost/resilience';
import { errorFields, type HealthCheck, type Logger } from '@waypost/telemetry';

interface Schedule {
  readonly backupDir: string;
  /** Milliseconds. */
  readonly backupEvery: number;
  readonly backupKeep: number;
}

interface Deps {
  readonly backUp: (dir: string) => Promise<BackupSummary>;
  readonly now: () => Date;
  readonly logger: Logger;
}

/** Also how long a clock that was set may go unnoticed. */
const LOOK_EVERY_MS = 60_000;
const BACK_OFF = { first: 60_000, most: 3_600_000 };
/** The engines stop next, which ends a backup that runs; nothing is left of it. */
const STOP_MS = 1_000;

/** The next one is due that long after the newest that is there, whoever made it: a restart neither repeats nor skips one. */
export function scheduleBackups(
  { backupDir, backupEvery, backupKeep }: Schedule,
  { backUp, now, logger }: Deps,
): { readonly health: HealthCheck; stop(): Promise<void> } {
  const startedAt = now();
  let newest: Date | undefined;
  let problem: string | undefined;

  // The data folder is locked by this process, which makes none yet.
  const cutOffRemoved = removeCutOff(backupDir).catch((error) =>
    logger.error('what is left of cut-off backups cannot be deleted', errorFields(error)),
  );
  const ageMs = (made: Date) => now().getTime() - made.getTime();
  const scheduled = background({
    backOff: BACK_OFF,
    async work() {
      await cutOffRemoved;
      // Further in the future: the clock was wrong when they were made.
      newest = (await datedBackups(backupDir)).find(({ at }) => ageMs(at) >= -backupEvery)?.at;
      const dueIn = newest === undefined ? 0 : backupEvery - ageMs(newest);
      if (dueIn <= 0) {
        const at = now();
        const { dir, ...summary } = await writeDatedBackup(backupDir, at, backupKeep, backUp);
        newest = at;
        logger.info('backup made', { dir, ...summary });
      }
      problem = undefined;
      return dueIn <= 0 ? LOOK_EVERY_MS : Math.min(dueIn, LOOK_EVERY_MS);
    },
    onFailure(error) {
      problem = (error as Error).message;
      logger.error('backup failed', errorFields(error));
    },
  });
  scheduled.start();
  return {
    health: {
      required: false,
      // What was seen last, without a look: each one at a folder that hangs would keep a thread for ever.
      check: () => {
        if (problem !== undefined) return { ok: false, detail: `the last backup into ${backupDir} failed: ${problem}` };
        const made = newest?.toISOString() ?? null;
        if (ageMs(newest ?? startedAt) <= 2 * backupEvery) return { ok: true, newest: made };
        return {
          ok: false,
          detail: `a backup into ${backupDir} is overdue; the newest: ${made ?? 'none'}`,
          newest: made,
        };
      },
    },
    stop: () => within(scheduled.stop(), STOP_MS, undefined),
  };
}
