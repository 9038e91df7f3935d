/**
 * Takes the pictures of README.md: the overview of the dashboard, light and dark, of a real installation with a sample
 * account. Its clicks go the way of all clicks, from the click log of the redirector. Needs Chromium.
 *
 *   scripts/node.sh scripts/readme-pictures.ts [FOLDER]     by default docs/pictures
 */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CLICKS } from '../libs/domain/src/index.ts';
import { createLogger } from '../libs/telemetry/src/index.ts';
import { startBrowser } from '../services/all-in-one/test/browser/chromium.ts';
import { apiClient, startTestWaypost } from '../services/all-in-one/test/waypost-process.ts';
import { openClickLog } from '../services/redirector/src/clicks/log/click-log.ts';

const DAY_MS = 86_400_000;
/** The figures of 30 days are compared with those of the 30 days before. */
const DAYS = 60;
const MAX_BYTES = 200_000;
const PASSWORD = 'correct horse battery staple';
const EMAIL = 'robin@example.com';
const SHOP = 'https://harborbooks.example.com';

/** The links of a bookshop: slug, title, tags, clicks on an ordinary day, and those of a day that differs. */
const LINKS: readonly (readonly [string, string, readonly string[], number, ((daysAgo: number) => number)?])[] = [
  ['advent', 'Advent calendar of books', ['campaign', 'print'], 60, (daysAgo) => (daysAgo < 9 ? 5 - daysAgo / 3 : 0.4)],
  ['newsletter', 'Newsletter, sign up', ['email'], 74, (daysAgo) => (daysAgo % 7 === 2 ? 2.6 : 1)],
  ['opening-hours', 'Opening hours and how to find us', ['print', 'store'], 96],
  ['reading-12-dec', 'Reading with Mara Lind, 12 December', ['events'], 52, (daysAgo) => (daysAgo < 14 ? 1.5 : 0.2)],
  ['gift-cards', 'Gift cards', ['store'], 41],
  ['book-club', 'Book club, how it works', ['events', 'email'], 33],
  ['jobs', 'Work with us', ['careers'], 18],
  ['catalog', 'Winter catalog (PDF)', ['print'], 12],
];
const COUNTRIES = weighted({ US: 46, GB: 17, CA: 11, DE: 8, IE: 6, FR: 5, AU: 4, NL: 3, SE: 2 });
const REFERRERS = weighted({
  '': 44,
  'https://www.instagram.com': 19,
  'https://www.google.com': 15,
  [SHOP]: 10,
  'https://www.facebook.com': 6,
  'https://bsky.app': 4,
  'https://mastodon.social': 3,
  'https://www.pinterest.com': 3,
  'https://www.linkedin.com': 2,
});
const AGENTS = weighted({
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1': 41,
  'Mozilla/5.0 (Linux; Android 15; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36': 26,
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36': 21,
  'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0': 5,
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)': 7,
});

/** A small generator (a linear congruence), so that two runs on one day give the same picture. */
let state = 2026;
function chance(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}
function weighted(parts: Readonly<Record<string, number>>): () => string {
  const all = Object.entries(parts).flatMap(([part, weight]) => Array<string>(weight).fill(part));
  return () => all[Math.floor(chance() * all.length)]!;
}

async function writeClicks(dataDir: string, accountId: string): Promise<number> {
  const folder = path.join(dataDir, 'clicks');
  const log = openClickLog({ folder, maxBytes: 2 ** 30, logger: createLogger('pictures', 'error') });
  const now = Date.now();
  let count = 0;
  for (let daysAgo = DAYS; daysAgo >= 0; daysAgo--) {
    const day = now - (now % DAY_MS) - daysAgo * DAY_MS;
    const weekend = [0, 6].includes(new Date(day).getUTCDay()) ? 0.7 : 1;
    for (const [slug, , , usual, differs] of LINKS) {
      const clicks = Math.round(
        usual * weekend * (differs?.(daysAgo) ?? 1) * (daysAgo < 30 ? 1 : 0.95) * (0.85 + chance() * 0.3),
      );
      for (let i = 0; i < clicks; i++) {
        const at = Math.floor(day + chance() * DAY_MS);
        if (at >= now) continue; // of today, only what is over
        const visitor = Math.floor(chance() * usual * 60)
          .toString(16)
          .padStart(16, '0');
        const event = { v: 2, type: 'click.recorded', account_id: accountId, slug, at, visitor } as const;
        const id = uuidOf(at, ++count);
        log.add(CLICKS.encode({ ...event, id, country: COUNTRIES(), user_agent: AGENTS(), referrer: REFERRERS() }));
      }
      log.commit();
    }
  }
  await log.close();
  return count;
}
const hex = (number: number, digits: number) => number.toString(16).padStart(digits, '0');
const uuidOf = (at: number, n: number) => `${hex(at, 12).replace(/^(.{8})/, '$1-')}-7000-8000-${hex(n, 12)}`;

const folder = process.argv[2] ?? 'docs/pictures';
const waypost = await startTestWaypost({ REDIRECT_BASE_URL: 'https://go.example.com', CREATIONS_PER_HOUR: '300' });
const browser = await startBrowser();
try {
  const { id } = await waypost.admin<{ id: string }>('create-account', { email: EMAIL, password: PASSWORD });
  const { key } = await waypost.admin<{ key: string }>('create-key', {
    email: EMAIL,
    name: 'shop',
    scopes: 'read,write',
  });
  const api = apiClient(waypost.api, key);
  const listed = Buffer.from('https://parcel-claim.example.net/track\n').toString('base64');
  await waypost.admin('import-feed', { name: 'sample', format: 'urls', 'threat-type': 'phishing', content: listed });
  const create = async (link: Record<string, unknown>) => {
    const { status, body } = await api('POST', '/api/v1/links', link);
    if (status !== 201) throw new Error(`${link.custom_slug}: ${JSON.stringify(body)}`);
  };
  for (const [slug, title, tags] of LINKS) {
    const ends = slug === 'advent' && {
      ends_at: `${new Date(Date.now() + 5 * DAY_MS).toISOString().slice(0, 10)}T18:00:00Z`,
    };
    await create({ destination_url: `${SHOP}/${slug}`, custom_slug: slug, title, tags, ...ends });
  }
  await create({ destination_url: 'https://parcel-claim.example.net/track', custom_slug: 'parcel' });
  await create({ destination_url: `${SHOP}/summer`, custom_slug: 'summer-sale' });
  await api('POST', '/api/v1/links/summer-sale/revoke');

  await waypost.stop();
  const clicks = await writeClicks(waypost.dataDir, id);
  await waypost.restart();
  for (let total = 0; total < clicks; await sleep(200))
    total = (await api('GET', '/api/v1/analytics?period=90d')).body.total_clicks;

  const page = await browser.newPage({
    locale: 'en-US',
    viewport: { width: 1280, height: 1084 },
    deviceScaleFactor: 1.25,
  });
  await page.goto(`${waypost.api}/?days=30`);
  await page.getByLabel('E-mail').fill(EMAIL);
  await page.locator('input[type=password]').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText('Top links').waitFor();
  await page.waitForLoadState('networkidle');
  fs.mkdirSync(folder, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const file = path.join(folder, `dashboard-${colorScheme}.png`);
    const { length } = await page.screenshot({ path: file });
    console.log(`${file}: ${length} bytes`);
    if (length > MAX_BYTES) throw new Error(`${file} has more than ${MAX_BYTES} bytes`);
  }
} finally {
  await browser.close();
  await waypost.remove();
}
