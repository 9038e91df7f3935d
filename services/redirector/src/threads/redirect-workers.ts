import { availableParallelism } from 'node:os';
import { setting } from '@waypost/settings';

const MOST_WORKERS = 64;

/** `auto` leaves one core for everything else. Only Linux distributes the connections of a port to several threads. */
export function redirectWorkers(text: string, platform: string = process.platform): number {
  const workers = text === 'auto' ? autoWorkers(platform) : /^[1-9]\d?$/.test(text) ? Number(text) : Number.NaN;
  if (!(workers <= MOST_WORKERS)) throw new Error(`must be auto or a whole number from 1 to ${MOST_WORKERS}`);
  if (workers > 1 && platform !== 'linux') throw new Error('must be 1 on systems other than Linux');
  return workers;
}

function autoWorkers(platform: string): number {
  return platform === 'linux' ? Math.min(MOST_WORKERS, Math.max(1, availableParallelism() - 1)) : 1;
}

export const REDIRECT_WORKERS = setting
  .parsed(
    `\`auto\`, or a whole number, 1 to ${MOST_WORKERS}`,
    'Threads that serve visitors. `auto` uses one per core, minus one.',
    (text) => redirectWorkers(text),
  )
  .default(1);
