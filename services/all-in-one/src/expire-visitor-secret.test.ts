import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { loadSecrets, rotateVisitorSecret } from '@waypost/adapter-embedded';
import type { VisitorSecret } from '@waypost/domain';
import { newFolder } from '@waypost/test-support/afterwards';
import { expireVisitorSecret } from './expire-visitor-secret.ts';

test('a process that runs on deletes the previous visitor secret on its date, and its redirector forgets it', async () => {
  const dir = newFolder();
  const start = new Date('2026-11-22T12:00:00.000Z');
  const after = (days: number) => new Date(start.getTime() + days * 86_400_000);
  let now = start;
  const inRedirector: VisitorSecret[] = [];
  const rotate = async (secret: VisitorSecret) => void inRedirector.push(secret);
  const loadVisitorSecret = (at: Date) => loadSecrets(dir, at).visitor;
  const look = expireVisitorSecret({ visitorSecret: loadVisitorSecret(now), loadVisitorSecret }, { rotate }, () => now);

  await look();
  const { secret } = rotateVisitorSecret(dir, now, { leaked: false });
  now = after(99);
  await look();
  expect(inRedirector).toEqual([]);
  now = after(100);
  await look();
  await look();
  expect(inRedirector).toEqual([{ current: secret.current }]);
  expect(Object.keys(JSON.parse(readFileSync(path.join(dir, 'secrets.json'), 'utf8')))).toEqual(['visitor']);
});
