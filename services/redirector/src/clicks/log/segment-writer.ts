import fs from 'node:fs';
import { promisify } from 'node:util';
import { errorFields, type Logger } from '@waypost/telemetry';
import { cutTornTail, listSegments, type Segment, segmentPath, syncFolder } from './segments.ts';
import type { SharedState } from './shared-state.ts';

/** The file operations of the log. Tests replace them with failing ones. */
export type Disk = Pick<typeof fs, 'openSync' | 'writeSync' | 'ftruncateSync' | 'fdatasync' | 'close'>;

export interface SegmentWriterOptions {
  readonly folder: string;
  readonly segmentBytes: number;
  /** New segments get higher numbers, even if no segment is left. */
  readonly afterSegment: number;
  readonly state: SharedState;
  readonly disk: Disk;
  readonly logger: Logger;
}

interface OpenSegment {
  readonly number: number;
  readonly handle: number;
  size: number;
  dirty: boolean;
}

/** A power loss costs at most the clicks of this time. */
const SYNC_EVERY_MS = 100;

/** Writes the segments of a log. Only one segment grows. A new one begins when it is large, or after a failure. */
export class SegmentWriter {
  readonly #options: SegmentWriterOptions;
  readonly #fdatasync: (handle: number) => Promise<void>;
  readonly #closeFile: (handle: number) => Promise<void>;
  readonly #removedBefore: number;
  #writtenBytes: number;
  #lastNumber: number;
  #current: OpenSegment | undefined;
  #syncTimer: NodeJS.Timeout | undefined;
  #syncProblem: string | undefined;
  readonly #background = new Set<Promise<void>>();

  /** Removes an incomplete frame from the end of the last segment. */
  constructor(options: SegmentWriterOptions) {
    const { folder, afterSegment, state, disk, logger } = options;
    this.#options = options;
    this.#fdatasync = promisify(disk.fdatasync);
    this.#closeFile = promisify(disk.close);
    fs.mkdirSync(folder, { recursive: true });
    const segments = recover(folder, logger);
    this.#removedBefore = state.removedBytes();
    this.#writtenBytes = segments.reduce((sum, { size }) => sum + size, 0);
    this.#lastNumber = Math.max(afterSegment, segments.at(-1)?.number ?? 0);
    state.moveTo(this.#lastNumber + 1, 0);
  }

  get diskBytes(): number {
    return this.#writtenBytes - (this.#options.state.removedBytes() - this.#removedBefore);
  }

  /** The reason why the last sync failed. A power loss may then cost more clicks. */
  get syncProblem(): string | undefined {
    return this.#syncProblem;
  }

  /** Throws the disk's error. The log then has no part of these frames. */
  append(frames: Buffer): void {
    this.#current ??= this.#openNext();
    const segment = this.#current;
    try {
      this.#write(segment, frames);
    } catch (error) {
      this.#cutPartialFrame(segment);
      throw error;
    }
    segment.size += frames.length;
    segment.dirty = true;
    this.#writtenBytes += frames.length;
    this.#syncTimer ??= setTimeout(() => this.#sync(), SYNC_EVERY_MS);
    this.#options.state.moveTo(segment.number, segment.size);
    if (segment.size >= this.#options.segmentBytes) this.#finish(segment);
  }

  async close(): Promise<void> {
    clearTimeout(this.#syncTimer);
    if (this.#current !== undefined) this.#finish(this.#current);
    while (this.#background.size > 0) await Promise.all(this.#background);
  }

  #openNext(): OpenSegment {
    const { folder, disk } = this.#options;
    const number = this.#lastNumber + 1;
    fs.mkdirSync(folder, { recursive: true }); // somebody may have deleted the folder
    const handle = disk.openSync(segmentPath(folder, number), 'wx', 0o600);
    this.#lastNumber = number;
    this.#inBackground(syncFolder(folder));
    return { number, handle, size: 0, dirty: false };
  }

  #write({ handle, size }: OpenSegment, frames: Buffer): void {
    for (let done = 0; done < frames.length; ) {
      const written = this.#options.disk.writeSync(handle, frames, done, frames.length - done, size + done);
      if (written === 0) throw new Error('the disk took no byte');
      done += written;
    }
  }

  #cutPartialFrame(segment: OpenSegment): void {
    try {
      this.#options.disk.ftruncateSync(segment.handle, segment.size);
    } catch {
      // Part of the frames may be in the file. Readers ignore what follows the recorded size, so nothing may be added
      // there.
      this.#finish(segment);
    }
  }

  #finish(segment: OpenSegment): void {
    this.#current = undefined;
    this.#options.state.moveTo(segment.number + 1, 0);
    this.#inBackground(this.#fdatasync(segment.handle).finally(() => this.#closeFile(segment.handle)));
  }

  #sync(): void {
    this.#syncTimer = undefined;
    const segment = this.#current;
    if (segment === undefined || !segment.dirty) return;
    segment.dirty = false;
    const synced = this.#fdatasync(segment.handle).then(
      () => {
        this.#syncProblem = undefined;
        if (segment.dirty) this.#syncTimer ??= setTimeout(() => this.#sync(), SYNC_EVERY_MS);
      },
      (error: unknown) => {
        // The kernel may drop the data of a failed sync, so later frames go to another file.
        if (this.#current === segment) this.#finish(segment);
        throw error;
      },
    );
    this.#inBackground(synced);
  }

  #inBackground(work: Promise<void>): void {
    const settled = work
      .catch((error: unknown) => {
        this.#syncProblem = describe(error);
        this.#options.logger.error(
          'clicks cannot be synced to disk; a power failure may lose them',
          errorFields(error),
        );
      })
      .finally(() => this.#background.delete(settled));
    this.#background.add(settled);
  }
}

function recover(folder: string, logger: Logger): Segment[] {
  const segments = listSegments(folder);
  const last = segments.at(-1);
  if (last === undefined) return [];
  const { size, cut } = cutTornTail(folder, last.number);
  if (cut > 0)
    logger.warn('removed an incomplete record at the end of the click log', { segment: last.number, kept: size, cut });
  return [...segments.slice(0, -1), { number: last.number, size }];
}

/** Returns the system's error code if there is one, otherwise the message. */
export function describe(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? (error instanceof Error ? error.message : String(error));
}
