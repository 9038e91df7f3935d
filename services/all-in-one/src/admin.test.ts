import fs from 'node:fs';
import path from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { newFolder } from '@waypost/test-support/afterwards';
import { runOperatorCommand } from './admin.ts';

test.each(['backup FILE', 'export-revoked FILE', 'export-redirects FILE --format nginx'])(
  '%s creates no Waypost where there is none',
  async (command) => {
    const parent = newFolder();
    const [dataDir, file] = [path.join(parent, 'wrong'), path.join(parent, 'earlier')];
    fs.writeFileSync(file, 'as it was');
    const stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(await runOperatorCommand(command.replace('FILE', file).split(' '), { DATA_DIR: dataDir })).toBe(1);
    expect(stderr.mock.calls.join('')).toContain(`there is no Waypost in ${dataDir}. Set DATA_DIR`);
    stderr.mockRestore();
    expect(fs.readdirSync(parent)).toEqual(['earlier']);
    expect(fs.readFileSync(file, 'utf8')).toBe('as it was');
  },
);
