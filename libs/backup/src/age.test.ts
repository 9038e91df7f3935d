import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { CommandMistake } from '@waypost/operator';
import { decryptWith, encryptTo } from './age.ts';

const folder = fs.mkdtempSync(path.join(tmpdir(), 'waypost-age-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));

test('a mistyped public key is a mistake of the person who types the command, with a message that names it', () => {
  const mistyped = () => encryptTo('age1wrong');
  expect(mistyped).toThrow(CommandMistake);
  expect(mistyped).toThrow('"age1wrong" is not a public key of age');
});

test.each([
  ['a damaged key', 'AGE-SECRET-KEY-1DAMAGED\n'],
  ['no key', '# created: today\n\n'],
])('a file with %s is such a mistake too, and the message has no secret', async (_what, text) => {
  const file = path.join(folder, 'identity.txt');
  fs.writeFileSync(file, text);
  const error: unknown = await decryptWith(file).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(CommandMistake);
  expect(String(error)).toContain(file);
  expect(JSON.stringify([String(error), (error as Error).cause])).not.toContain('DAMAGED');
});
