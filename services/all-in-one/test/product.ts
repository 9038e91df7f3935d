import { afterAll, beforeAll } from '@jest/globals';
import { anyTestWaypost, apiClient, startTestWaypost, type TestWaypost } from './waypost-process.ts';

export type ApiClient = ReturnType<typeof apiClient>;

/**
 * An installation for one file of tests, with a client of its own account. With an environment it is the file's own,
 * started before the tests and removed after them; without, other files may use it, too, and it cannot be restarted.
 */
export function product(environment?: NodeJS.ProcessEnv) {
  let running: TestWaypost;
  let key: string;
  let client: ApiClient;
  beforeAll(async () => {
    running = await (environment === undefined ? anyTestWaypost() : startTestWaypost(environment));
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
