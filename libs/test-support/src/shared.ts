import net from 'node:net';
import { text } from 'node:stream/consumers';

/**
 * Resolves to a resource that all files of a jest run share (scripts/jest-setup.mjs). The first call waits for its
 * start.
 */
export async function sharedByTests<T>(variable: 'WAYPOST_TEST_POSTGRES' | 'WAYPOST_TEST_PRODUCT'): Promise<T> {
  const socketPath = process.env[variable];
  if (socketPath === undefined) throw new Error('this test needs the globalSetup of jest.config.mjs');
  const answer = JSON.parse(await text(net.connect(socketPath))) as T & { error?: string };
  if (answer.error !== undefined) throw new Error(answer.error);
  return answer;
}
