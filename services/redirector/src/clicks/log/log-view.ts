/** The shipper reads the click log through this view, because another thread writes the log. */
import { unlink } from 'node:fs/promises';
import { errorFields, type Logger } from '@waypost/telemetry';
import { listSegments, type Segment, segmentPath } from './segments.ts';
import type { SharedState } from './shared-state.ts';

export type LogView = ReturnType<typeof clickLogView>;

/** Open the log first: that removes an incomplete frame at its end and sets the position in `state`. */
export function clickLogView(options: {
  readonly folder: string;
  readonly maxBytes: number;
  readonly state: SharedState;
  readonly logger: Logger;
}) {
  const { folder, maxBytes, state, logger } = options;
  let finished: Segment[] = [];
  let growing = -1;
  // A folder may list these files for a moment longer, but each must free its space only once.
  const removing = new Set<number>();

  return {
    maxBytes,
    /** The segments, oldest first. Only the last one grows. Each may be read up to its size. */
    segments(): readonly Segment[] {
      const position = state.position();
      if (position.number !== growing) {
        finished = listSegments(folder).filter(({ number }) => number < position.number && !removing.has(number));
        growing = position.number;
      }
      return position.size === 0 ? finished : [...finished, position];
    },
    isFinished: (number: number) => number < state.position().number,
    remove(number: number): void {
      const removed = finished.find((segment) => segment.number === number);
      if (removed === undefined) return;
      finished = finished.filter((segment) => segment !== removed);
      removing.add(number);
      unlink(segmentPath(folder, number))
        .catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOENT') throw error;
        })
        .then(
          // Only a deleted file frees its space.
          () => state.addRemovedBytes(removed.size),
          (error: unknown) =>
            logger.error('a shipped segment of the click log could not be removed', errorFields(error)),
        )
        .finally(() => removing.delete(number));
    },
    /** The number of clicks written since the process started. */
    captured: state.captured,
    whenCaptured: state.whenCaptured,
  };
}
