/** What a test leaves to clean up. Only for test files: outside of them, jest gives no hooks. */
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

/** Calls `end` after the test that runs, what came last first. */
export function afterwards(end: () => unknown): void {
  ends.push(end);
}

/** Answers on a free port of 127.0.0.1 while the test runs; resolves to the URL, without a slash at its end. */
export async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  afterwards(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${await listening(server)}`;
}

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A new folder, removed after all tests of the file. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'waypost-test-'));
  folders.push(folder);
  return folder;
}
