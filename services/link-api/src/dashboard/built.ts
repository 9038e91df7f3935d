import fs from 'node:fs';
import { fileURLToPath } from 'node:url';

export function builtDashboard(): string | undefined {
  const folder = fileURLToPath(new URL('../../../dashboard/dist', import.meta.url));
  return fs.existsSync(`${folder}/index.html`) ? folder : undefined;
}
