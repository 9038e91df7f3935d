import { writeFile } from 'node:fs/promises';
import type { Command } from '@commander-js/extra-typings';
import { UsageError } from '@waypost/command-line';
import { type Bitmap2D, qrCode, svgOf } from '@waypost/qr-code';
import { pngOf } from '@waypost/qr-code/png';
import { type Waypost, WaypostError } from '@waypost/sdk';
import { addCommand, value } from '../program.ts';
import type { Session } from '../session.ts';
import { urlOf } from '../url.ts';
import { slugOf } from './slug.ts';

export function addQr(program: Command, { connect, print }: Session): void {
  addCommand(program, 'qr <SLUG|URL>', 'Show the QR code of a short link, or write it to a file.', [
    'waypost qr spring-menu',
    'waypost qr spring-menu --out menu.svg',
    'waypost qr https://go.example.org/spring-menu --out menu.png',
  ])
    .addOption(value('--out <FILE>', 'Write an .svg or .png file.'))
    .action(async (argument, options) => {
      const { out } = options;
      const type = out === undefined ? undefined : /\.(svg|png)$/i.exec(out)?.[1]?.toLowerCase();
      if (out !== undefined && type === undefined) throw new UsageError('The file name must end in .svg or .png.');
      const url = /^https?:\/\//i.test(argument) ? argument : await shortUrl(connect(options), slugOf(argument));
      const code = qrCode(url);
      if (out === undefined) return print(options, { url, out: null }, () => `${halfBlocks(code)}\n${url}`);
      await writeFile(out, type === 'svg' ? svgOf(code) : pngOf(code));
      print(options, { url, out }, () => `${out}: ${url}`);
    });
}

async function shortUrl(api: Waypost, slug: string): Promise<string> {
  const { slug: checked } = await api.get(slug);
  const { redirect_base_url } = await api.account();
  const url = `${redirect_base_url}/${checked}`;
  if (urlOf(url) === undefined) throw new WaypostError('The response has no short URL.', { code: 'not_waypost' });
  return url;
}

/** Each character shows two modules. It paints the light modules, because most terminals are dark. */
function halfBlocks(code: Bitmap2D): string {
  const lines: string[] = [];
  for (let y = -2; y < code.size + 2; y += 2) {
    let line = '';
    for (let x = -2; x < code.size + 2; x++) line += '█▀▄ '[Number(code.get(x, y)) * 2 + Number(code.get(x, y + 1))];
    lines.push(line);
  }
  return lines.join('\n');
}
