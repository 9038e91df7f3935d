import type { Command } from '@commander-js/extra-typings';
import type { UrlCheck } from '@waypost/sdk';
import { addCommand } from '../program.ts';
import { Ended, type Session } from '../session.ts';
import { showChecks } from '../show.ts';

const HELP = 'Scan URLs for threats before you share them. Creates nothing.';

export function addCheck(program: Command, { connect, print }: Session): void {
  addCommand(program, 'check <URL...>', HELP, [
    'waypost check https://www.wikipedia.org/',
    'waypost check "$URL" && waypost create "$URL"',
  ]).action(async (urls, options) => {
    const api = connect(options);
    const checks: UrlCheck[] = [];
    for (const url of urls) checks.push(await api.checkUrl(url));
    print(options, checks, showChecks);
    const has = (...outcomes: string[]) => checks.some(({ outcome }) => outcomes.includes(outcome));
    if (has('flagged', 'refused')) throw new Ended(7);
    if (has('warned')) throw new Ended(8);
  });
}
