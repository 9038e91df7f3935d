import fs from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Writes texts into a file, each after a line with `made by SCRIPT` and before the next line with `end`, which are
 * comments of the file's language. With `--check`, it only compares them, and the process exits with 1 if they differ.
 */
export function writeGenerated(script: string, path: string, texts: readonly string[]): void {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
  const text = fs.readFileSync(file, 'utf8');
  const place = new RegExp(`(?<=^[^\\w\\n]*made by ${script}[^\\w\\n]*\\n)[^]*?(?=^[^\\w\\n]+end\\b)`, 'gm');
  const places = text.match(place)?.length ?? 0;
  if (places !== texts.length) throw new Error(`${path} has ${places} places for ${texts.length} texts`);
  let next = 0;
  const generated = text.replace(place, () => texts[next++]!);
  if (process.argv[2] !== '--check') {
    fs.writeFileSync(file, generated);
  } else if (text !== generated) {
    console.error(`${path} is not what is declared: run scripts/node.sh ${script}`);
    process.exitCode = 1;
  }
}
