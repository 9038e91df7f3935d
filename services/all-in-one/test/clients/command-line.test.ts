/** services/cli/test tests each command. This file runs the command line against the real API. */
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Waypost } from '@waypost/sdk';
import { newFolder } from '@waypost/test-support/afterwards';
import { runCommandLine } from '../clients.ts';
import { product } from '../product.ts';
import { CLIENT, ended, startProgram } from '../programs.ts';
import { comesTo, DESTINATION, figuresOf, newSlugs, times, visit } from '../support.ts';
import { apiClient } from '../waypost-process.ts';

const folder = newFolder();
const { waypost } = product();

const start = (key: string, ...args: string[]) =>
  startProgram(CLIENT, args, folder, { WAYPOST_API_KEY: key, WAYPOST_URL: waypost.api });
const run = (key: string, ...args: string[]) => ended(start(key, ...args));

describe('list --clicks and export --clicks-by-day', () => {
  test('have the clicks of more links than one request may name', async () => {
    const { key } = await waypost.newKey();
    const api = apiClient(waypost.api, key);
    const slugs = await newSlugs(api, 101);
    const clicked = slugs[50]!;
    await visit(waypost.redirect, `/${clicked}`);
    await comesTo(() => figuresOf(api, clicked), { total_clicks: 1 }, 30_000);
    const list = (...more: string[]) => runCommandLine(waypost.api, key, ['list', '--all', '--clicks', ...more]);
    const { data } = JSON.parse((await list('--json')).stdout);
    expect(data).toHaveLength(101);
    for (const { slug, clicks } of data) expect([slug, clicks]).toEqual([slug, slug === clicked ? 1 : 0]);
    const { stdout } = await list();
    expect(stdout.trimEnd().split('\n')).toHaveLength(101);
    expect(stdout).toMatch(new RegExp(`^${clicked}\\t.*\\t1\\thttp`, 'm'));
    const exported = await runCommandLine(waypost.api, key, ['export', '--clicks-by-day', '--format', 'jsonl']);
    const lines = exported.stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(101);
    const days = lines.map((line) => JSON.parse(line)).filter(({ clicks_by_day }) => clicks_by_day !== '');
    expect(days).toEqual([expect.objectContaining({ slug: clicked })]);
    expect(days[0].clicks_by_day).toMatch(/^\d{4}-\d\d-\d\d=1$/);
  });
});

describe('a bulk of 2,000 rows with a quota of 300', () => {
  const rows = times(2_000, (i) => `${DESTINATION}?row=${i}`);

  test('creates 300, says when it will continue, and after two kills has created each row once', async () => {
    const { key, email } = await waypost.newKey('read,write', { limit: 300 });
    fs.writeFileSync(
      path.join(folder, 'links.csv'),
      `destination_url,tags\n${rows.map((url) => `${url},bulk\n`).join('')}`,
    );
    const first = await run(key, 'bulk', 'links.csv');
    expect(first).toMatchObject({ code: 3, stderr: '' });
    expect(first.stdout).toMatch(
      /^300 of 2000 links created\.\n.* can be created at \d\d:\d\d UTC, in \d+ min, .*\n.* Rows remaining: 1700\./,
    );

    await waypost.admin('set-limit', { email, 'creations-per-hour': '5000' });
    const journal = path.join(folder, 'links.csv.results.csv.job');
    for (const _kill of [1, 2]) {
      const sent = fs.readFileSync(journal, 'utf8').split('"sending"').length;
      const child = start(key, 'bulk', 'links.csv');
      // The kill must come after the batch is in the journal and before its answer arrives.
      while (fs.readFileSync(journal, 'utf8').split('"sending"').length === sent) await new Promise(setImmediate);
      child.kill('SIGKILL');
      await once(child, 'exit');
    }

    const last = await run(key, 'bulk', 'links.csv', '--json');
    expect(last).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(last.stdout)).toMatchObject({ total: 2_000, created: 2_000, refused: 0, lost: 0, left: 0 });
    expect(fs.readdirSync(folder).sort()).toEqual(['links.csv', 'links.csv.results.csv']);
    const table = fs.readFileSync(path.join(folder, 'links.csv.results.csv'), 'utf8').trimEnd().split('\r\n').slice(1);
    expect(table.map((line) => line.split(',').at(-1))).toEqual(rows);
    expect(table[1_999]).toMatch(/^line 2001,active,\w{7},http:.*\/\w{7},,/);

    const destinations: string[] = [];
    for await (const link of new Waypost({ url: waypost.api, apiKey: key }).listAll())
      destinations.push(link.destination_url);
    expect(destinations.toSorted()).toEqual(rows.toSorted());
  }, 120_000);

  test('neither another list nor a second run at once may use this journal', async () => {
    const { key } = await waypost.newKey('read,write', { limit: 1 });
    const [list, results] = [path.join(folder, 'two.txt'), path.join(folder, 'two.csv')];
    const bulk = () => runCommandLine(waypost.api, key, ['bulk', list, '--results', results]);
    fs.writeFileSync(list, `${DESTINATION}\n${DESTINATION}?2\n`);
    expect((await bulk()).code).toBe(3);
    fs.writeFileSync(list, `${DESTINATION}?3\n`);
    expect((await bulk()).code).toBe(2);
    fs.writeFileSync(`${results}.job.lock`, String(process.pid));
    expect((await bulk()).stderr).toContain(`Process ${process.pid} is already working`);
  });
});
