/** Cleans up after tests. Only test files may import it, because jest's hooks exist only there. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach } from '@jest/globals';
import { listening } from './loopback.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  const failed: unknown[] = [];
  for (const end of ends.splice(0).reverse()) {
    try {
      await end();
    } catch (error) {
      failed.push(error);
    }
  }
  if (failed.length > 0) throw failed[0];
});

/** Calls `end` after the current test. The last registered `end` runs first. */
export function afterwards(end: () => unknown): void {
  ends.push(end);
}

/** Starts a server on a free port of 127.0.0.1 until the test ends. Resolves to its URL, without a slash at the end. */
export async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  afterwards(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${await listening(server)}`;
}

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Creates a folder that is removed after all tests of the file. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'waypost-test-'));
  folders.push(folder);
  return folder;
}
