import { afterAll, beforeAll } from '@jest/globals';
import { apiClient, startTestWaypost, type TestWaypost } from './waypost-process.ts';

export type ApiClient = ReturnType<typeof apiClient>;

/** An installation for one file of tests, started before them and removed after them, with a client of its own account. */
export function product(environment: NodeJS.ProcessEnv = {}) {
  let running: TestWaypost;
  let key: string;
  let client: ApiClient;
  beforeAll(async () => {
    running = await startTestWaypost(environment);
    ({ key } = await running.newKey());
    client = apiClient(running.api, key);
  });
  afterAll(() => running?.remove());

  return {
    waypost: new Proxy({} as TestWaypost, { get: (_, name) => Reflect.get(running, name) }),
    api: ((...request) => client(...request)) as ApiClient,
    /** The key of `api`. */
    apiKey: () => key,
    /** A client of another new account. */
    newClient: async (...account: Parameters<TestWaypost['newKey']>): Promise<ApiClient> =>
      apiClient(running.api, (await running.newKey(...account)).key),
  };
}
