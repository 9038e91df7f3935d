import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { DomainError } from '@waypost/domain';
import { newFolder } from '@waypost/test-support/afterwards';
import { type Kit, NOW, newScanner } from '../../test/scanner-kit.ts';
import { MOST_VISITED } from '../data.ts';
import { dueRemoval } from '../recheck/delist-links.ts';
import { importFeed } from './import-feed.ts';
import { openThreatStore, type ThreatStore } from './threat-store.ts';

const GOOD = Array.from({ length: 100 }, (_, i) => `http://h${i}.example.net/x`);

async function refusal(kit: Kit, lines: readonly string[], format = 'urls'): Promise<DomainError> {
  const before = { feeds: kit.listFeeds(), status: kit.status() };
  const error = await kit.list('incoming', lines, { format }).then(
    () => undefined,
    (cause: unknown) => cause,
  );
  expect(error).toBeInstanceOf(DomainError);
  expect({ feeds: kit.listFeeds(), status: kit.status() }).toEqual(before);
  return error as DomainError;
}

describe('an import', () => {
  test('reads a file', async () => {
    const kit = await newScanner();
    const file = join(newFolder(), 'feed.txt');
    writeFileSync(file, 'bad.example.net\n');
    expect(await kit.importFeed({ file }, { name: 'f', format: 'hosts', threatType: 'malware' })).toMatchObject({
      entries: 1,
    });
    await expect(
      kit.importFeed({ file: `${file}.none` }, { name: 'f', format: 'hosts', threatType: 'malware' }),
    ).rejects.toThrow('cannot be read');
  });

  test('decides nothing while its feed is switched off, and decides again afterwards', async () => {
    const kit = await newScanner();
    await kit.list('mine', [GOOD[0]!]);
    await kit.list('other', [GOOD[1]!]);
    const off = await newScanner({ dataDir: kit.dataDir, feedsOff: ['mine'] });
    expect([await off.outcome(GOOD[0]!), await off.outcome(GOOD[1]!)]).toEqual(['clean', 'flagged']);
    expect(off.status().feeds.find(({ name }) => name === 'mine')).toMatchObject({ entries: 1, off: true });
    await expect(off.list('mine', [GOOD[2]!])).rejects.toThrow('is disabled');
    await off.list('third', [GOOD[2]!]);
    expect(await off.outcome(GOOD[0]!)).toBe('clean');
    const on = await newScanner({ dataDir: kit.dataDir });
    expect(await on.outcome(GOOD[0]!)).toBe('flagged');
  });
});

test('a sentence is not an entry, even if its words look like hosts', async () => {
  const kit = await newScanner();
  const hosts = GOOD.slice(0, 98).map((url) => new URL(url).hostname);
  for (const format of ['hosts', 'urls', 'adblock', 'urlhaus-csv']) {
    const text = [
      ...(format === 'urlhaus-csv' ? hosts.map((host, id) => `"${id}","","http://${host}/x"`) : hosts),
      'not a host name',
      '<<<',
    ].join('\n');
    expect(await kit.importFeed({ text }, { name: 'x', format, threatType: 'spam' })).toMatchObject({
      entries: 98,
      rejected: 2,
    });
  }
  expect(
    (await refusal(kit, [...hosts.slice(0, 97), 'not a host name', '<<<', 'nor this'], 'hosts')).message,
  ).toContain('has 3 of 100 lines that cannot be parsed');
});

describe('an import changes nothing and names the first bad lines:', () => {
  test('it removes characters that would reverse or hide text on a terminal', async () => {
    const { details } = await refusal(await newScanner(), ['\u009b31mred\u202e\u0007 x']);
    expect(details).toEqual({ 'line 1': '"\ufffd31mred\ufffd\ufffd x": not a URL' });
  });

  test('if it cannot read more than 2 % of the lines', async () => {
    const kit = await newScanner();
    const error = await refusal(kit, [...GOOD.slice(0, 96), 'not a url', '', 'nor this', 'x y']);
    expect(error.code).toBe('validation_failed');
    expect(error.message).toMatch(/has 3 of 99 lines that cannot be parsed \(at most 2% may be\)\.$/);
    expect(error.details).toMatchObject({
      'line 97': '"not a url": not a URL',
      'line 99': '"nor this": not a URL',
    });
  });

  test('if DNS does not allow 7 of 300 hosts', async () => {
    const hosts = Array.from({ length: 293 }, (_, i) => `h${i}.example.net`);
    const bad = Array.from({ length: 7 }, (_, i) => `www.${'x'.repeat(64)}${i}.example.net`);
    const { message } = await refusal(await newScanner(), [...hosts, ...bad], 'hosts');
    expect(message).toContain('has 7 of 300 lines that cannot be parsed');
  });

  test('if the file is a web page, is empty or has only comments', async () => {
    const kit = await newScanner();
    expect((await refusal(kit, ['<!doctype html>', '<p>Not found</p>'])).details).toMatchObject({
      'line 1': expect.stringContaining('"<!doctype html>"'),
    });
    expect((await refusal(kit, [])).message).toContain('has no entries');
    expect((await refusal(kit, ['# nothing', ''])).message).toContain('has no entries');
  });

  test.each([
    ['a public suffix', 'co.uk'],
    ['a top-level domain', 'com'],
    ['a suffix of the private section', 'github.io'],
    ['a wildcard of one', '*.vercel.app'],
    ['a most visited host', 'google.com'],
    ['its www', 'www.wikipedia.org'],
    ['a brand', 'chase.com'],
    ['a shared host', 'raw.githubusercontent.com'],
    ['a suffix that many share', 'sharepoint.com'],
  ])('%s among hosts', async (_, host) => {
    const kit = await newScanner();
    const lines = [...GOOD.map((url) => new URL(url).hostname), host];
    const error = await refusal(kit, lines, 'hosts');
    expect(error.message).toContain('no feed may list');
    expect(error.details).toMatchObject({ 'line 101': expect.stringContaining(JSON.stringify(host)) });
  });

  test.each(['http://google.com', 'https://www.github.com/', 'http://co.uk/'])('%s as a URL', async (url) => {
    expect((await refusal(await newScanner(), [...GOOD, url])).message).toContain('no feed may list');
  });

  test('if the file is larger than 64 MB', async () => {
    const kit = await newScanner();
    const file = join(newFolder(), 'large.txt');
    writeFileSync(file, '');
    truncateSync(file, 64 * 1024 * 1024 + 1);
    await expect(kit.importFeed({ file }, { name: 'f', format: 'urls', threatType: 'malware' })).rejects.toThrow(
      'larger than 64 MB',
    );
  });

  test('if the name, the format or the type is invalid', async () => {
    const kit = await newScanner();
    await expect(kit.importFeed({ text: 'x' }, { name: '', format: 'csv', threatType: 'bad' })).rejects.toMatchObject({
      code: 'validation_failed',
      details: { name: expect.any(String), format: expect.any(String), threat_type: expect.any(String) },
    });
  });
});

describe('entries that would flag too much', () => {
  test('are left out and counted, such as google.com/url in UT1', async () => {
    const kit = await newScanner();
    const lines = ['google.com/url', 'accounts.google.com', ...GOOD];
    expect(
      await kit.importFeed({ text: lines.join('\n') }, { name: 'ut1', format: 'urls', threatType: 'phishing' }),
    ).toMatchObject({ entries: 100, rejected: 2 });
    expect(await kit.outcome('https://www.google.com/url?q=https%3A%2F%2Fwww.wikipedia.org%2F')).toBe('clean');
    expect(await kit.outcome('https://accounts.google.com/x')).toBe('clean');
  });

  test('are in quarantine until a person releases them, also from the next update', async () => {
    const kit = await newScanner();
    const [one, two] = ['cian.ru', MOST_VISITED[5_000]!];
    const listed = [`http://www.${one}`, `http://${two}/`, ...GOOD];
    await kit.list('mine', listed);
    expect(kit.listQuarantine()).toEqual([
      { feed: 'mine', entry: `www.${one}/`, problem: 'a popular host' },
      { feed: 'mine', entry: `${two}/`, problem: 'a popular host' },
    ]);
    const status = kit.status();
    expect(status.feeds.find(({ name }) => name === 'mine')).toMatchObject({ entries: 100, quarantined: 2 });
    expect(status).toMatchObject({ ok: true, detail: expect.stringMatching(/quarantine .*mine/) });
    expect(await kit.outcome(`https://www.${one}/x`)).toBe('clean');

    await expect(kit.releaseEntry('mine', 'other.example.net/')).rejects.toThrow('not in the quarantine');
    await expect(kit.releaseEntry('none', `www.${one}/`)).rejects.toThrow('not in the quarantine');
    const { generation } = await kit.releaseEntry('mine', `www.${one}/`);
    expect(kit.status().generation).toBe(generation);
    expect(await kit.outcome(`https://www.${one}/x`)).toBe('flagged');
    expect(await kit.outcome(`https://${two}/x`)).toBe('clean');
    expect(await kit.outcome(GOOD[0]!)).toBe('flagged');

    const again = await newScanner({ dataDir: kit.dataDir });
    await again.list('mine', listed);
    expect(await again.outcome(`https://www.${one}/x`)).toBe('flagged');
    expect(again.listQuarantine().map(({ entry }) => entry)).toEqual([`${two}/`]);
  });

  test('are not released while their feed is switched off', async () => {
    const kit = await newScanner();
    await kit.list('mine', ['http://www.cian.ru', ...GOOD]);
    const off = await newScanner({ dataDir: kit.dataDir, feedsOff: ['mine'] });
    await expect(off.releaseEntry('mine', 'www.cian.ru/')).rejects.toThrow('is disabled');
    expect(await off.outcome(GOOD[0]!)).toBe('clean');
  });

  test('make the import fail if there are many', async () => {
    const kit = await newScanner();
    const lines = Array.from({ length: 11 }, (_, i) => `h${i}.paypal.com`);
    expect((await refusal(kit, [...lines, 'bad.example.net'], 'hosts')).message).toContain(
      '11 entries that would flag',
    );
  });

  test('do not exclude single addresses on popular hosts', async () => {
    const kit = await newScanner();
    await kit.list('urls', [
      'https://raw.githubusercontent.com/a/b/main/x.exe',
      'https://www.google.com/url?q=http://evil.net',
      'https://bit.ly/3abc',
    ]);
    expect(await kit.outcome('https://bit.ly/3abc')).toBe('flagged');
    expect(await kit.outcome('https://bit.ly/3abd')).toBe('warned');
    expect(await kit.outcome('https://www.google.com/url?q=http://good.net')).toBe('clean');
  });
});

test('a feed that removes entries every minute does not lose a removal before it is due', async () => {
  const quarantine = { count: 0, entries: [] };
  const own = { addresses: [], slugs: [] };
  const imported = { entries: 1, rejected: 0, badLines: [], quarantine, own, datedAt: undefined, added: 0, removed: 1 };
  const opened = await openThreatStore(newFolder(), {
    shippedFile: 'none',
    build: async () => ({ ok: true, feeds: [], digest: '', unreadable: [], imported }),
  });
  let state = opened.state();
  // The state stays in memory, because a thousand changes of files take seconds.
  const store: ThreatStore = {
    ...opened,
    state: () => state,
    async change(work) {
      const change = await work(state);
      state = change.state;
      return change.result;
    },
  };
  let minutes = 0;
  const now = () => new Date(NOW.getTime() + minutes * 60_000);
  const feed = { name: 'mine', format: 'urls', threatType: 'phishing' };
  for (; minutes <= 1_000; minutes++) await importFeed({ store, ownHosts: [], now }, { text: '' }, feed);
  const { removals } = state;
  expect(removals).toHaveLength(17);
  expect(removals[0]!.at).toBe('2026-11-21T12:59:00.000Z');
  minutes = 73 * 60 - 2;
  expect(dueRemoval({ store, now })).toBeUndefined();
  minutes++;
  expect(dueRemoval({ store, now })).toBe(removals[0]);
});
