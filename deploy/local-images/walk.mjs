/** Performs one step of a link's life over the public ports: `node walk.mjs create|visit|analyse|revoke FOLDER`. */
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const [step, folder] = process.argv.slice(2);
const API = 'http://127.0.0.1:8080/api/v1';
const VISITORS = 'http://127.0.0.1:8081';
const SLUG = 'containers';
const DESTINATION = 'https://www.wikipedia.org/wiki/Container';
const { key } = JSON.parse(fs.readFileSync(`${folder}/key.json`, 'utf8'));
const countFile = `${folder}/visits`;
const seen = () => (fs.existsSync(countFile) ? Number(fs.readFileSync(countFile, 'utf8')) : 0);

async function api(method, path, body) {
  const response = await fetch(`${API}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

const visit = (base = VISITORS) =>
  fetch(`${base}/${SLUG}`, {
    redirect: 'manual',
    headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' },
  });

function must(holds, what) {
  if (holds) return;
  console.log(`         ${what}`);
  process.exit(1);
}

async function visits(count) {
  let answered = seen();
  const refused = [];
  for (let i = 0; i < count; i++) {
    const { status, headers } = await visit();
    if (status === 302 && headers.get('location') === DESTINATION) answered++;
    else refused.push(`visit ${i + 1}: ${status}`);
  }
  fs.writeFileSync(countFile, String(answered));
  must(refused.length === 0, `not redirected, of ${count} visits: ${refused.join(', ')}`);
}

const steps = {
  async create() {
    const { status, body } = await api('POST', '/links', { destination_url: DESTINATION, custom_slug: SLUG });
    must(status === 201, `create answered ${status}: ${JSON.stringify(body)}`);
    await visits(50);
  },
  async visit() {
    await visits(200);
  },
  async analyse() {
    const deadline = Date.now() + 60_000;
    let total;
    for (; Date.now() < deadline; await sleep(500)) {
      const { status, body } = await api('GET', `/links/${SLUG}/analytics`);
      must(status === 200, `analytics answered ${status}: ${JSON.stringify(body)}`);
      total = body.total_clicks;
      if (total >= seen()) break;
    }
    await sleep(2_000); // leaves time for a duplicate click, which would arrive late
    total = (await api('GET', `/links/${SLUG}/analytics`)).body.total_clicks;
    console.log(`         ${seen()} redirects answered, ${total} clicks counted`);
    must(total === seen(), 'these differ');
  },
  async revoke() {
    const { status, body } = await api('POST', `/links/${SLUG}/revoke`);
    must(status === 200, `revoke answered ${status}: ${JSON.stringify(body)}`);
    for (const base of [VISITORS, 'http://127.0.0.1:8181', 'http://127.0.0.1:8182'])
      for (let i = 0; i < 10; i++) {
        const answer = await visit(base);
        must(answer.status >= 400, `${base} answered ${answer.status} after the revoke`);
      }
  },
};
await steps[step]();
