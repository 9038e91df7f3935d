import type { Command } from '@commander-js/extra-typings';
import { addCommand } from '../program.ts';
import type { Session } from '../session.ts';
import { showScan } from '../show.ts';
import { slugOf } from './slug.ts';

export function addScan(program: Command, { connect, print }: Session): void {
  addCommand(program, 'scan <SLUG>', "Show the scan result of a link's destination, with reasons.", [
    'waypost scan spring-menu',
  ]).action(async (slug, options) => {
    print(options, await connect(options).scan(slugOf(slug)), showScan);
  });
}
