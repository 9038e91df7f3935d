import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { afterwards } from '@waypost/test-support/afterwards';
import { apiClient, onStack, sharedTestWaypost, startTestWaypost, type TestWaypost } from './waypost-process.ts';

export type ApiClient = ReturnType<typeof apiClient>;

/**
 * Starts an installation for one file of tests, with a client of a new account. With an environment, only this file
 * uses it, and it is removed after the tests. Without, other files use it, too, and it cannot be restarted.
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
    apiKey: () => key,
    total,
    /** Resolves to the answer of `send`, and checks that the account's number of links did not change. */
    createsNothing: async <T>(send: () => Promise<T>): Promise<T> => {
      const before = await total();
      const answer = await send();
      expect(await total()).toBe(before);
      return answer;
    },
    newClient: async (...account: Parameters<TestWaypost['newKey']>): Promise<ApiClient> =>
      apiClient(running.api, (await running.newKey(...account)).key),
  };
}

export async function newWaypost(environment?: NodeJS.ProcessEnv): Promise<TestWaypost> {
  const waypost = await startTestWaypost(environment);
  afterwards(() => waypost.remove());
  return waypost;
}

/** A test that is skipped on the stack, because separate processes do not have what it tests. */
export const ofOneProcess = onStack() ? test.skip : test;
