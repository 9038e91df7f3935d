import { writeFile } from 'node:fs/promises';
import type { Command } from '@commander-js/extra-typings';
import { UsageError } from '@waypost/command-line';
import { type Bitmap2D, qrCode } from '@waypost/qr-code';
import { type Waypost, WaypostError } from '@waypost/sdk';
import { addCommand, addFlags, fieldsOf, value } from '../program.ts';
import type { Session } from '../session.ts';
import { urlOf } from '../url.ts';
import { slugOf } from './slug.ts';

export function addQr(program: Command, { connect, print }: Session): void {
  const command = addCommand(program, 'qr <SLUG|URL>', 'Show the QR code of a short link, or write it to a file.', [
    'waypost qr spring-menu',
    'waypost qr spring-menu --out menu.svg',
    "waypost qr https://go.example.org/spring-menu --out menu.png --size 1024 --color '#14532d'",
  ]).addOption(value('--out <FILE>', 'Write an .svg or .png file.'));
  addFlags(command, 'getQrCode', 'format').action(async (argument, options) => {
    const { out } = options;
    const style = fieldsOf('getQrCode', options);
    const isUrl = /^https?:\/\//i.test(argument);
    if (out === undefined) {
      if (Object.keys(style).length > 0) throw new UsageError('The options of the picture require --out.');
      const url = isUrl ? argument : await shortUrl(connect(options), slugOf(argument));
      return print(options, { url, out: null }, () => `${halfBlocks(qrCode(url))}\n${url}`);
    }
    const format = formatOf(out);
    const api = connect(options);
    const slug = slugOf(isUrl ? (urlOf(argument)?.pathname.slice(1) ?? argument) : argument);
    const url = await shortUrl(api, slug);
    if (isUrl && url !== argument) throw new UsageError(`${argument} is not a short URL of this server. Try ${url}`);
    await writeFile(out, await api.qr(slug, { ...style, format }));
    print(options, { url, out }, () => `${out}: ${url}`);
  });
}

function formatOf(file: string): 'svg' | 'png' {
  const [, type] = /\.(svg|png)$/i.exec(file) ?? [];
  if (type === undefined) throw new UsageError('The file name must end in .svg or .png.');
  return type.toLowerCase() === 'svg' ? 'svg' : 'png';
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
