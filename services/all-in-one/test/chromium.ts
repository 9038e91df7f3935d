import { type Browser, chromium } from 'playwright-core';

/** Chromium, which a user's machine may lack (`CHROMIUM` names another). */
export const startBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
