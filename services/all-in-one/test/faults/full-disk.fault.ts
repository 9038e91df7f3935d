/**
 * Fills the disk: redirects must continue, /readyz must report it, and changes are refused. Nothing may be lost when
 * there is space again.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { product } from '../product.ts';
import { clicksOf, comesTo } from '../support.ts';
import type { Answer } from '../waypost-process.ts';

const mount = fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-disk-'));
// The test fills a separate, small file system. Mounting it requires root.
beforeAll(() => void execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=400m,mode=0755', 'tmpfs', mount]));
const { waypost, api } = product({ DATA_DIR: path.join(mount, 'data') });
afterAll(() => {
  execFileSync('umount', [mount]);
  fs.rmdirSync(mount);
});

const filler = path.join(mount, 'filler');

function fillDisk(): void {
  const file = fs.openSync(filler, 'w');
  for (let size = 1 << 20; size >= 1; size >>= 1) {
    try {
      for (;;) fs.writeSync(file, Buffer.alloc(size));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
  fs.closeSync(file);
}

const create = () =>
  api('POST', '/api/v1/links', { destination_url: `https://www.wikipedia.org/${'x'.repeat(1_500)}` });
const visit = (slug: string) => fetch(`${waypost.redirect}/${slug}`, { redirect: 'manual' });

test('redirects continue, /readyz reports it, creations are refused or complete, and everything recovers', async () => {
  const { slug } = (await create()).body.link;
  expect((await visit(slug)).status).toBe(302);
  fillDisk();

  for (let i = 0; i < 200; i++) expect((await visit(slug)).status).toBe(302);
  const ready = await api('GET', '/readyz');
  expect(ready.status).toBe(503);
  expect(ready.body.dependencies.disk.ok).toBe(false);
  const redirectorReady = (await (await fetch(`${waypost.redirect}/readyz`)).json()) as Answer['body'];
  expect(redirectorReady.dependencies.disk.ok).toBe(false);

  const answers: Answer[] = [];
  for (let i = 0; i < 300; i++) answers.push(await create());
  const refused = answers.filter(({ status }) => status === 503);
  expect(refused.length).toBeGreaterThan(0);
  expect(answers.filter(({ status }) => status !== 503 && status !== 201)).toEqual([]);
  for (let i = 0; i < 100; i++) expect((await visit(slug)).status).toBe(302);

  fs.rmSync(filler);
  await comesTo(create, { status: 201 }, 30_000);
  for (const { status, body } of answers) {
    if (status !== 201) continue;
    expect((await api('GET', `/api/v1/links/${body.link.slug}`)).status).toBe(200);
  }
  await comesTo(() => clicksOf(api, slug), 301);
  const healthy = await comesTo(() => api('GET', '/readyz'), { status: 200 }, 30_000);
  expect(healthy.body.dependencies.disk.ok).toBe(true);
});
