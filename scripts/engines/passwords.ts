import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/**
 * Returns passwords for the engines of a folder. They are created on first use, in a file that only its owner can read.
 */
export function passwords(dir: string): (user: string) => string {
  const file = path.join(dir, 'engine-passwords.json');
  const passwordOf: Record<string, string> = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {};
  return (user) => {
    if (passwordOf[user] === undefined) {
      passwordOf[user] = randomBytes(24).toString('hex');
      fs.writeFileSync(file, `${JSON.stringify(passwordOf, null, 2)}\n`, { mode: 0o600 });
    }
    return passwordOf[user];
  };
}
