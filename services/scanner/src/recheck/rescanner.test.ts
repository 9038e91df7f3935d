import { expect, test } from '@jest/globals';
import { until } from '@waypost/test-support';
import type { PendingRescan } from '../threats/scanner-state.ts';
import type { ThreatStore } from '../threats/threat-store.ts';
import { rescanner } from './rescanner.ts';

test('a background scan pauses for an import and then continues where it stopped', async () => {
  const sweep: PendingRescan = { generation: 'sweep', file: null, after: '' };
  let state = { owed: [sweep] };
  const store = {
    state: () => state,
    update: async (next: (now: typeof state) => typeof state) => {
      state = next(state);
    },
  } as unknown as ThreatStore;
  const begun: string[] = [];
  const running = rescanner({
    store,
    logger: { info: () => undefined, warn: () => undefined } as never,
    rescan: async ({ generation, after }, _signal, { note, mustYield }) => {
      begun.push(`${generation} ${after}`);
      if (after !== '') return { looked: 1, flagged: 0 };
      state = { owed: [...state.owed, { generation: 'import', file: 'added' }] };
      expect(mustYield()).toBe(true);
      await note('m');
      return { looked: 1, flagged: 0, isCutShort: true };
    },
  });
  running.start();
  await until(() => state.owed.length === 0);
  await running.stop();
  expect(begun).toEqual(['sweep ', 'import undefined', 'sweep m']);
});
