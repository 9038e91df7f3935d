import { type Browser, chromium } from 'playwright-core';

/** Starts Chromium, or the browser that `CHROMIUM` names. */
export const startBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
