import type { SearchTexts } from '@waypost/ports';
import { type Background, background, isNoteworthy } from '@waypost/resilience';

interface Deps {
  readonly searchTexts: SearchTexts;
  readonly onLateError: (error: unknown) => void;
}

const POLL_MS = 2_000;

/** Packs new links for searches, in any number of processes. */
export function packSearchTexts({ searchTexts, onLateError }: Deps): Background {
  const packing = background({
    work: async () => ((await searchTexts.pack()) ? 0 : POLL_MS),
    onFailure: (error, inARow) => {
      if (isNoteworthy(inARow)) onLateError(error);
    },
  });
  packing.start();
  return packing;
}
