// Ends once no pod of these services (HOST:PORT) has an older version than this image, so that an upgrade replaces
// consumers before producers. A pod that does not answer is not waited for: visitors need no consumer. After ten
// minutes a new pod starts anyway.
import { lookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';

const services = process.argv.slice(1);
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const isOlder = (other) => other.localeCompare(version, 'en', { numeric: true }) < 0;

async function versionsOf(service) {
  const [, host, port] = /^(.+):(\d+)$/.exec(service);
  const pods = await lookup(host, { all: true }).catch(() => []);
  return Promise.all(
    pods.map(async ({ address, family }) => {
      const url = `http://${family === 6 ? `[${address}]` : address}:${port}/metrics`;
      const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
      return /^waypost_build_info\{.*version="([^"]+)"/m.exec((await answer?.text()) ?? '')?.[1] ?? version;
    }),
  );
}

for (const until = Date.now() + 600_000; Date.now() < until; await new Promise((done) => setTimeout(done, 2_000))) {
  const older = (await Promise.all(services.map(versionsOf))).flat().filter(isOlder);
  if (older.length === 0) break;
  console.log(`${version} waits for ${older.length} consumers of version ${older[0]}`);
}
