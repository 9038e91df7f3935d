import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Browser, BrowserContext, BrowserContextOptions, Download, Page } from 'playwright-core';
import { freshEmail, PASSWORD } from '../people.ts';
import { type ApiClient, product } from '../product.ts';
import { apiClient } from '../waypost-process.ts';
import { startBrowser } from './chromium.ts';

const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** The folder for screenshots. If absent, none are taken. */
export const pictures = process.env.SCREENSHOTS;

export interface Watched {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors that the browser reports, such as a breach of the page's policy or an exception of a script. */
  readonly complaints: string[];
  /** Requests to other hosts than `hosts`. */
  readonly foreign: string[];
}

export async function openPage(
  browser: Browser,
  hosts: readonly string[],
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const context = await browser.newContext({
    locale: 'en-GB',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  const foreign: string[] = [];
  // Chromium logs each refused request. The first request of a page is refused, because nobody is signed in yet.
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    const { host, protocol } = new URL(request.url());
    if (protocol.startsWith('http') && !hosts.includes(host)) foreign.push(request.url());
  });
  return { context, page, complaints, foreign };
}

export interface User extends Watched {
  readonly email: string;
  readonly api: ApiClient;
}

/** Without an environment, the files of the browser share one installation. */
export function dashboard(environment?: NodeJS.ProcessEnv) {
  let browser: Browser;
  const watched: Watched[] = [];
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser?.close());
  const { waypost } = product(environment);

  async function newPage(options: BrowserContextOptions = {}): Promise<Watched> {
    const opened = await openPage(browser, [new URL(waypost.api).host], options);
    watched.push(opened);
    return opened;
  }

  /** Creates an account and resolves to a page where it is signed in. */
  async function newUser(options: BrowserContextOptions = {}, admin = false): Promise<User> {
    const email = freshEmail();
    await waypost.admin('create-account', { email, password: PASSWORD, admin });
    const scopes = admin ? 'admin' : 'read,write';
    const { key } = await waypost.admin<{ key: string }>('create-key', { email, name: 'test', scopes });
    const opened = await newPage(options);
    await opened.page.goto(waypost.api);
    await signIn(opened.page, email);
    await opened.page.locator('.create').waitFor();
    return { ...opened, email, api: apiClient(waypost.api, key) };
  }

  return {
    waypost,
    newPage,
    newUser,
    newAdministrator: (options?: BrowserContextOptions) => newUser(options, true),
    open: async (page: Page, path: string, name: string): Promise<void> => {
      await page.goto(`${waypost.api}${path}`);
      await heading(page, name).waitFor();
    },
    /** Expects at least `pages` pages, and that none reported an error or sent a request to another host. */
    expectContent(pages = 3): void {
      expect(watched.length).toBeGreaterThanOrEqual(pages);
      expect(watched.flatMap(({ complaints }) => complaints)).toEqual([]);
      expect(watched.flatMap(({ foreign }) => foreign)).toEqual([]);
    },
  };
}

export const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });

export async function signIn(page: Page, email: string): Promise<void> {
  // The dialog at the end of a session has the address already.
  const address = page.getByLabel('E-mail');
  if (await address.isEditable()) await address.fill(email);
  await page.locator('input[type=password]').fill(PASSWORD);
  await page.keyboard.press('Enter');
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

interface Axe {
  run(options: object): Promise<{ readonly violations: readonly Violation[] }>;
}

/**
 * Checks a page in light and dark, wide and at phone width: axe finds no violation, and neither the page nor its
 * navigation scrolls sideways.
 */
export async function check(page: Page, name: string): Promise<void> {
  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 360],
    ['dark', 1280],
    ['light', 360],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 800 });
    if (pictures !== undefined)
      await page.screenshot({ path: path.join(pictures, `${name}-${colorScheme}-${width}.png`), fullPage: true });
    await page.evaluate(axe);
    const violations = await page.evaluate(async () => {
      const { axe: loaded } = globalThis as unknown as { axe: Axe };
      // axe tests every rule of WCAG 2.2 AA by default, except this one.
      const { violations } = await loaded.run({ rules: { 'target-size': { enabled: true } } });
      return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)] as const);
    });
    expect([name, colorScheme, width, violations]).toEqual([name, colorScheme, width, []]);
    const wide = await page.evaluate('document.documentElement.scrollWidth');
    expect([name, wide]).toEqual([name, width]);
    const cut = page.locator('.nav').evaluateAll((all) => all.some((each) => each.scrollWidth > each.clientWidth));
    expect([name, width, await cut]).toEqual([name, width, false]);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

export const contentOf = async (download: Download) => fs.readFileSync(await download.path(), 'utf8');

export async function downloaded(page: Page, act: () => Promise<void>): Promise<Download> {
  const [download] = await Promise.all([page.waitForEvent('download'), act()]);
  return download;
}

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
export const inDialog = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true });

/** Opens the menu of a link in the list by keyboard. */
export const menuOf = (page: Page, slug: string) => button(page, `Actions for ${slug}`).press('Enter');
export const menuItem = (page: Page, name: string) => page.getByRole('menuitem', { name, exact: true });

/** Revokes a link from its row, up to the dialog. */
export async function revokeRow(page: Page, slug: string): Promise<void> {
  await menuOf(page, slug);
  await menuItem(page, 'Revoke…').press('Enter');
}

/**
 * Resolves to the secret in the dialog. The dialog must not close before the user confirms that the secret is stored.
 */
export async function secretShown(page: Page): Promise<string> {
  await page.keyboard.press('Escape');
  const secret = (await page.locator('.secret code').textContent()) ?? '';
  await check(page, 'secret');
  await inDialog(page, 'Copy').click();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
  await page.getByRole('dialog').getByRole('checkbox').check();
  await inDialog(page, 'Done').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await page.content()).not.toContain(secret);
  return secret;
}
