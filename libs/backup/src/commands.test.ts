import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { type RestoreOptions, type RestoreSummary, restoreCommand } from './commands.ts';

test.each([
  ['kind,id\nlink,a\n', 'kind,id\nlink,a\n', false],
  ['\ufeffkind,id\nlink,a\n', 'kind,id\nlink,a\n', false],
  ['\ufeffa\nb\n', 'a\nb\n', true],
  ['', '', true],
])(
  'the list of --revoke has a header or only slugs, also after a byte order mark: %j',
  async (list, lines, slugsOnly) => {
    using folder = fs.mkdtempDisposableSync(path.join(os.tmpdir(), 'waypost-revoke-'));
    const file = path.join(folder.path, 'list');
    fs.writeFileSync(file, list);
    let options: RestoreOptions | undefined;
    const command = restoreCommand(async (_dir, _deps, restoreOptions) => {
      options = restoreOptions;
      return {} as RestoreSummary;
    });
    await command.run({ dir: '/backup', revoke: file }, {});
    const { revoked } = options!.revision;
    // Not read as text, because its decoder would remove the mark itself.
    expect([String(await buffer(revoked!.lines())), revoked!.slugsOnly]).toEqual([lines, slugsOnly]);
  },
);
