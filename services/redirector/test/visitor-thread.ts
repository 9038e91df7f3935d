/** A thread for `threads.test.ts`: it knows every slug, and two slugs make it die or hang. */
import { inProcessLinkCache } from '@waypost/adapter-embedded';
import type { RedirectRecord } from '@waypost/domain';
import { runVisitorThread } from '../src/index.ts';
import { link } from './support.ts';

const DIE = 'dieDIE1';
const HANG = 'hangHG1';

runVisitorThread<{ readonly hangMs: number }>(async ({ own }) => ({
  cache: inProcessLinkCache({ size: 10_000 }),
  reader: {
    find: async (slug): Promise<RedirectRecord> => {
      if (slug === DIE) process.exit(1); // ends the thread, not the process
      for (const end = performance.now() + own.hangMs; slug === HANG && performance.now() < end; );
      return link(slug);
    },
  },
  checks: { store: { required: false, check: () => ({ ok: true }) } },
}));
