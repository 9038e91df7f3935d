import { createServer } from 'node:net';
import { afterAll, expect, test } from '@jest/globals';
import { listening, until } from '@waypost/test-support';
import { afterwards } from '@waypost/test-support/afterwards';
import { startMailServer } from '@waypost/test-support/mail-server';
import { atNoon, NOON, openStores, storesOn } from '../../test/stores.ts';
import { mailNotices } from './mail-notices.job.ts';
import { noteOwnListings } from './note-own-listings.job.ts';
import type { NoticeKind } from './notice.ts';
import { storeNotice } from './notices.sql.ts';
import { smtpMail } from './smtp-mail.adapter.ts';

const { db, notices } = await openStores();
const server = await startMailServer();

const to = (port: number) => ({
  smtpUrl: { host: '127.0.0.1', port, secure: false, requireTLS: false },
  mailFrom: 'waypost@example.org',
  mailTo: ['abuse@example.org', 'on-call@example.org'],
});
const sendMail = smtpMail(to(server.port))!;

let now = NOON;
const errors: unknown[] = [];
/** Two processes send mails. */
const jobs = [0, 1].map(() =>
  mailNotices({
    notices: storesOn(db).notices,
    sendMail,
    baseUrl: 'https://way.example',
    now: () => now,
    onLateError: (error) => void errors.push(error),
  }),
);
for (const job of jobs) job.start();
afterAll(() => Promise.all(jobs.map((job) => job.stop())));
const wake = () => {
  for (const job of jobs) job.wake();
};

let serial = 0;
const notify = (kind: NoticeKind, line: string) =>
  db.transaction((tx) =>
    storeNotice(tx, {
      message: { type: 'case.opened', slug: '', eventId: `${serial++}`, body: '{}', at: NOON, traceparent: undefined },
      mail: { kind, line },
    }),
  );
const waiting = async () => (await db.query('SELECT FROM operator_notices')).length;
const isMailed = (count: number) => until(async () => server.received.length === count && (await waiting()) === 0);
const subjectOf = (headers: string) => /^Subject: (.*)$/m.exec(headers)?.[1]?.trim();

test('the first report is mailed at once, once, to all addresses, in plain text', async () => {
  await notify('report', 'Report (phishing): https://go.example/aB3dE6g');
  wake();
  await isMailed(1);
  const [mail] = server.received;
  expect(mail).toMatchObject({ from: 'waypost@example.org', to: ['abuse@example.org', 'on-call@example.org'] });
  expect(subjectOf(mail!.headers)).toBe('Waypost: 1 new report');
  expect(mail!.headers).toMatch(/^Content-Type: text\/plain/m);
  expect(mail!.headers).toMatch(/^Auto-Submitted: auto-generated\r?$/m);
  expect(mail!.text).toContain('Report (phishing): https://go.example/aB3dE6g');
  expect(mail!.text).toContain('https://way.example/admin/reports');
});

test('a flood of reports makes one mail in ten minutes, which names twenty of them', async () => {
  await notify('review request', 'Review request: https://go.example/aB3dE6g');
  await db.query(
    `INSERT INTO operator_notices (kind, line, created_at)
     SELECT 'report', 'Report ' || n || '.', $1 FROM generate_series(1, 999) n`,
    [NOON],
  );
  // The first mail was sent at noon.
  for (const process of [notices, storesOn(db).notices])
    expect(await process.claim(atNoon(599_999), atNoon(700_000), 1)).toEqual([]);
  now = atNoon(600_000);
  wake();
  await isMailed(2);
  const { headers, text } = server.received[1]!;
  expect(subjectOf(headers)).toBe('Waypost: 1 new review request, 999 new reports');
  expect(text.match(/^Re.*$/gm)).toHaveLength(20);
  expect(text).toContain('and 980 more');
});

test('while the mail server refuses mails, nothing is lost, and one process tries again', async () => {
  server.refuse('4.3.0 The disk is full');
  now = atNoon(1_200_000);
  await notify('report', 'Report (malware): https://go.example/later');
  wake();
  await until(() => errors.length === 1);
  expect(String(errors[0])).toContain('The disk is full');
  expect(await waiting()).toBe(1);
  server.refuse(undefined);
  now = atNoon(1_200_000 + 120_000);
  wake();
  await isMailed(3);
  expect(server.received[2]!.text).toContain('https://go.example/later');
  expect(errors).toHaveLength(1);
});

test('an address that the mail server refuses does not repeat the mail to the others', async () => {
  server.refuseAddress('on-call@example.org');
  now = atNoon(2_000_000);
  await notify('report', 'Report (scam): https://go.example/once');
  wake();
  await isMailed(4);
  await until(() => errors.length === 2);
  expect(String(errors[1])).toContain('refused 1 of the addresses in MAIL_TO');
  expect(server.received[3]!.to).toEqual(['abuse@example.org']);
  server.refuseAddress(undefined);
});

test('a mail server that says nothing is left after its time', async () => {
  const silent = createServer();
  afterwards(() => silent.close());
  const send = smtpMail(to(await listening(silent)), 100)!;
  await expect(send({ subject: 'x', text: 'x' })).rejects.toMatchObject({ code: 'ETIMEDOUT' });
});

test('text cannot become a header, a recipient or a command', async () => {
  const before = server.received.length;
  await sendMail({ subject: 'One\r\nBcc: evil@example.net', text: 'Two\r\n.\r\nRCPT TO:<evil@example.net>\r\n' });
  const { to: recipients, headers, text } = server.received[before]!;
  expect(recipients).toEqual(['abuse@example.org', 'on-call@example.org']);
  expect(headers).not.toMatch(/^Bcc/im);
  expect(text).toContain('RCPT TO:<evil@example.net>');
  expect(server.received).toHaveLength(before + 1);
});

test('after a clock that was a year ahead is set back, mails go on', async () => {
  await notices.mailed([], atNoon(365 * 86_400_000));
  await notify('report', 'Report (spam): https://go.example/clock');
  const [claimed] = await notices.claim(atNoon(3_600_000), atNoon(3_700_000), 1);
  expect(claimed).toMatchObject({ line: 'Report (spam): https://go.example/clock' });
  await notices.mailed([claimed!.id], NOON);
});

test('notices that nobody mails are deleted after a week', async () => {
  await notify('report', 'Report (spam): https://go.example/old');
  const week = 7 * 86_400_000;
  await notices.forget(atNoon(week - 1));
  expect(await waiting()).toBe(1);
  await notices.forget(atNoon(week));
  expect(await waiting()).toBe(0);
});

test('lists that begin to name this service are mailed once, whatever process sees it', async () => {
  const before = server.received.length;
  now = atNoon(3_000_000);
  const feed = {
    name: 'phishing-list',
    entries: 9,
    updated_at: null,
    age_seconds: null,
    stale: false,
    last_error: null,
    removal_url: null,
    own_addresses: [{ entry: 'go.example/', since: '2026-11-20T08:00:00.000Z' }],
    own_links: [{ entry: 'aB3dE6g', since: '2026-11-20T09:00:00.000Z' }],
  };
  let list = [feed];
  const listingJobs = [0, 1].map(() =>
    noteOwnListings({
      feeds: { list: async () => list },
      notices,
      now: () => now,
      onLateError: (error) => void errors.push(error),
    }),
  );
  for (const job of listingJobs) job.start();
  afterwards(() => Promise.all(listingJobs.map((job) => job.stop())));
  await until(async () => (await waiting()) === 2);
  wake();
  await isMailed(before + 1);
  const { headers, text } = server.received[before]!;
  expect(subjectOf(headers)).toBe('Waypost: 2 new threat feed listings');
  expect(text).toMatch(/^The threat feed phishing-list lists go\.example\/\r?$/m);
  expect(text).toMatch(/^The threat feed phishing-list lists the link aB3dE6g\r?$/m);
  expect(text).toContain('https://way.example/admin/feeds');

  list = [
    { ...feed, own_addresses: [...feed.own_addresses, { entry: 'example/', since: '2026-11-21T08:00:00.000Z' }] },
  ];
  for (const job of listingJobs) job.wake();
  await until(async () => (await waiting()) === 1);
  expect(await db.query('SELECT line FROM operator_notices')).toEqual([
    { line: 'The threat feed phishing-list lists example/' },
  ]);
});
