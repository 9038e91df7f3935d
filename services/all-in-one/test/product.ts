import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { afterwards } from '@waypost/test-support/afterwards';
import { apiClient, onStack, sharedTestWaypost, startTestWaypost, type TestWaypost } from './waypost-process.ts';

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
    running = await (environment === undefined ? sharedTestWaypost() : startTestWaypost(environment));
    ({ key } = await running.newKey());
    client = apiClient(running.api, key);
  });
  afterAll(() => running?.remove());

  const total = async (): Promise<number> => (await client('GET', '/api/v1/links')).body.total;
  return {
    waypost: new Proxy({} as TestWaypost, { get: (_, name) => Reflect.get(running, name) }),
    api: ((...request) => client(...request)) as ApiClient,
    /** The key of `api`. */
    apiKey: () => key,
    /** How many links the account of `api` has. */
    total,
    /** The answer to what leaves that account with as many links as before. */
    createsNothing: async <T>(send: () => Promise<T>): Promise<T> => {
      const before = await total();
      const answer = await send();
      expect(await total()).toBe(before);
      return answer;
    },
    /** A client of another new account. */
    newClient: async (...account: Parameters<TestWaypost['newKey']>): Promise<ApiClient> =>
      apiClient(running.api, (await running.newKey(...account)).key),
  };
}

/** An installation for the test that runs, removed after it. */
export async function newWaypost(environment?: NodeJS.ProcessEnv): Promise<TestWaypost> {
  const waypost = await startTestWaypost(environment);
  afterwards(() => waypost.remove());
  return waypost;
}

/** A test of what separate processes do not have. */
export const ofOneProcess = onStack() ? test.skip : test;
