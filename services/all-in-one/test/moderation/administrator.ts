import { beforeAll } from '@jest/globals';
import { apiClient, type Json, type TestWaypost } from '../waypost-process.ts';

export function administrator(waypost: TestWaypost) {
  let account: Awaited<ReturnType<TestWaypost['newKey']>>;
  beforeAll(async () => {
    account = await waypost.newKey('admin', { admin: true });
  });
  const admin: ReturnType<typeof apiClient> = (...request) => apiClient(waypost.api, account.key)(...request);
  const entriesAbout = async (subject: string): Promise<Json[]> =>
    (await admin('GET', `/api/v1/admin/audit?limit=100&subject=${encodeURIComponent(subject)}`)).body.data;
  return {
    admin,
    /** The administrator's account, with the `id` of its key. */
    account: () => account,
    entriesAbout,
    actionsAbout: async (subject: string) =>
      (await entriesAbout(subject)).map(({ action, outcome }) =>
        outcome === 'done' ? action : `${action} ${outcome}`,
      ),
  };
}
