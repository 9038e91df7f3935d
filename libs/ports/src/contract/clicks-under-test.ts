import { afterAll, beforeAll } from '@jest/globals';
import type { ClickSink } from '../click-sink.ts';
import type { ClickStats } from '../click-stats.ts';

/** A sink and the statistics of the same, empty store. */
export interface ClicksUnderTest {
  readonly sink: ClickSink;
  readonly stats: ClickStats;
  close(): Promise<void>;
}

/** One store for a suite, opened before and closed after it. */
export function opener(open: () => Promise<ClicksUnderTest>): () => ClicksUnderTest {
  let opened: ClicksUnderTest;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened?.close());
  return () => opened;
}
