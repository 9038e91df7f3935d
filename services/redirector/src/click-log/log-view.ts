/** The click log as the shipper sees it, whichever thread writes it. */
import { unlink } from 'node:fs/promises';
import { errorFields, type Logger } from '@waypost/telemetry';
import { listSegments, type Segment, segmentPath } from './segments.ts';
import type { SharedState } from './shared-state.ts';

export interface LogView {
  readonly maxBytes: number;
  /** Oldest first, the growing one last. Each may be read up to its size. */
  segments(): readonly Segment[];
  /** Whether the segment no longer grows. */
  isFinished(number: number): boolean;
  /** Removes a finished segment; deletes its file in the background. */
  remove(number: number): void;
  /** Clicks written since the process started. */
  captured(): number;
  /** Resolves when `captured` reaches `total`, after `withinMs`, or when `signal` aborts. For one waiter. */
  whenCaptured(total: number, withinMs: number, signal: AbortSignal): Promise<void>;
}

/** For an opened log: its torn end is cut off, and `state` has its position. */
export function clickLogView(options: {
  readonly folder: string;
  readonly maxBytes: number;
  readonly state: SharedState;
  readonly logger: Logger;
}): LogView {
  const { folder, maxBytes, state, logger } = options;
  let finished: Segment[] = [];
  let growing = -1;
  // Their files may still be listed for a moment; each frees its space once.
  const removing = new Set<number>();

  return {
    maxBytes,
    segments() {
      const position = state.position();
      if (position.number !== growing) {
        finished = listSegments(folder).filter(({ number }) => number < position.number && !removing.has(number));
        growing = position.number;
      }
      return position.size === 0 ? finished : [...finished, position];
    },
    isFinished: (number) => number < state.position().number,
    remove(number) {
      const removed = finished.find((segment) => segment.number === number);
      if (removed === undefined) return;
      finished = finished.filter((segment) => segment !== removed);
      removing.add(number);
      unlink(segmentPath(folder, number))
        .catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOENT') throw error;
        })
        .then(
          // The space is free once the file is gone, not before.
          () => state.addRemovedBytes(removed.size),
          (error: unknown) => logger.error('a shipped segment of the click log cannot be removed', errorFields(error)),
        )
        .finally(() => removing.delete(number));
    },
    captured: state.captured,
    whenCaptured: state.whenCaptured,
  };
}
