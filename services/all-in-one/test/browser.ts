/** The dashboard in Chromium: what its tests share. */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { startBrowser } from './chromium.ts';
import { freshEmail, PASSWORD } from './people.ts';
import { type ApiClient, product } from './product.ts';
import { apiClient } from './waypost-process.ts';

const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Where screenshots go, for a look at them. */
export const pictures = process.env.SCREENSHOTS;

export interface Watched {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Whatever the browser complains about: the policy, a script. */
  readonly complaints: string[];
  /** Whatever it asks of others than `hosts`. */
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
  // A request that is refused says so on its own: the first look, before anybody signed in, is one.
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
  /** For the same account. */
  readonly api: ApiClient;
}

/** An installation and a browser for one file of tests. */
export function dashboard(environment: NodeJS.ProcessEnv = {}) {
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

  /** A signed-in page of a new account. */
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
    /** Goes to a screen, until its heading is there. */
    open: async (page: Page, path: string, name: string): Promise<void> => {
      await page.goto(`${waypost.api}${path}`);
      await heading(page, name).waitFor();
    },
    /** No page so far complained about anything, or asked anybody else. */
    expectContent(): void {
      expect(watched.length).toBeGreaterThan(5);
      expect(watched.flatMap(({ complaints }) => complaints)).toEqual([]);
      expect(watched.flatMap(({ foreign }) => foreign)).toEqual([]);
    },
  };
}

export const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });

export async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
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

/** Light and dark, wide and as a phone: no violation, no sideways scroll. */
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
      // The one rule of WCAG 2.2 AA that axe leaves out unless it is asked.
      const { violations } = await loaded.run({ rules: { 'target-size': { enabled: true } } });
      return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)] as const);
    });
    expect([name, colorScheme, width, violations]).toEqual([name, colorScheme, width, []]);
    const wide = await page.evaluate('document.documentElement.scrollWidth');
    expect([name, wide]).toEqual([name, width]);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}
