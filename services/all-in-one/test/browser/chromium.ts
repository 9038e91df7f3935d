import { type Browser, chromium } from 'playwright-core';

/**
 * Starts the headless shell of Chromium, or the browser that `CHROMIUM` names. The shell is what Playwright itself uses
 * without a screen. Under Chromium proper, a click once waited 30 s for a frame on a busy machine.
 */
export const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
    args: ['--no-sandbox'],
  });
