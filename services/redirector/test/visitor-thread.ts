/** threads.test.ts runs this visitor thread. It knows every slug, and two slugs make it end or hang. */
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
      if (slug === DIE) process.exit(1); // this ends only the thread
      for (const end = performance.now() + own.hangMs; slug === HANG && performance.now() < end; );
      return link(slug);
    },
  },
  checks: { store: { required: false, check: () => ({ ok: true }) } },
}));
