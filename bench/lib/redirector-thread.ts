import { runVisitorThread } from '../../services/redirector/src/index.ts';
import { benchLinks, REVOKED } from './links.ts';

runVisitorThread(async () => {
  const links = new Map([...benchLinks(), REVOKED].map((record) => [record.slug, record]));
  return {
    cache: {
      get: async (slug) => links.get(slug),
      fill: async (record) => record,
      fillUnknown: async () => null,
      put: async () => undefined,
      replace: async () => undefined,
      announce: async () => undefined,
      watch: () => undefined,
    },
    reader: { find: async () => undefined },
    checks: {},
  };
});
