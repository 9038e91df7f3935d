import { expect, test } from '@jest/globals';
import { pause } from '@waypost/test-support';
import { codeOf, noted, openStores } from '../../test/stores.ts';
import { type Case, newCaseNumber } from './case.ts';
import { postgresCases } from './cases.sql.ts';

const { db, cases } = await openStores();
const UPHELD = { state: 'upheld', reason: 'It is.' } as const;
const DISMISSED = { state: 'dismissed', reason: 'It is not.' } as const;

const TOLD = {
  notice: ({ number, slug, createdAt: at }: Case) =>
    ({
      message: { type: 'case.opened', slug, eventId: number, body: '{}', at, traceparent: undefined },
      mail: { kind: 'report', line: slug },
    }) as const,
};

async function openCase(slug = 'summer') {
  const number = newCaseNumber((size) => crypto.getRandomValues(new Uint8Array(size)));
  return cases.open({ number, kind: 'review', slug, category: null, message: '', accountId: null }, TOLD);
}

test('only one of two concurrent decisions changes the link, and the other changes nothing', async () => {
  const { number } = await openCase();
  const changed: string[] = [];
  const processes = [cases, postgresCases(db, () => undefined)];
  const deciding = [UPHELD, DISMISSED].map((decision, i) =>
    processes[i]!.decide(number, decision, noted, async () => {
      await pause(50);
      changed.push(decision.state);
    }),
  );
  const [one, other] = await Promise.allSettled(deciding);
  expect([one!.status, other!.status].sort()).toEqual(['fulfilled', 'rejected']);
  expect(changed).toEqual([(await cases.find(number))!.state]);
});

test('many decisions of one process leave connections for their changes', async () => {
  const open = await Promise.all(Array.from({ length: 25 }, (_, i) => openCase(`many${i}`)));
  const change = async () => void (await db.query('SELECT 1'));
  const decided = await Promise.all(open.map(({ number }) => cases.decide(number, UPHELD, noted, change)));
  expect(new Set(decided.map(({ state }) => state))).toEqual(new Set(['upheld']));
});

test('a case whose change fails stays open', async () => {
  const { number } = await openCase();
  const failed = cases.decide(number, UPHELD, noted, () => Promise.reject(new Error('away')));
  await expect(failed).rejects.toThrow('away');
  expect(await cases.decide(number, DISMISSED, noted, async () => undefined)).toMatchObject(DISMISSED);
  expect(await codeOf(cases.decide(number, UPHELD, noted, async () => undefined))).toBe('case_decided');
});

test('at most 20 reports about a link are open, and a further one is answered with one of its category', async () => {
  const report = (category: 'phishing' | 'spam') =>
    cases.open(
      {
        number: newCaseNumber((size) => crypto.getRandomValues(new Uint8Array(size))),
        kind: 'report',
        slug: 'crowded',
        category,
        message: 'text',
        accountId: null,
      },
      TOLD,
    );
  const honest = await report('phishing');
  const junk = await Promise.all(Array.from({ length: 30 }, () => report('spam')));
  expect(new Set(junk.map(({ number }) => number)).size).toBe(19);
  expect((await report('phishing')).number).toBe(honest.number);
  expect(await cases.list({ slug: 'crowded', limit: 100 })).toHaveLength(20);
  const notices = await db.query('SELECT FROM operator_notices WHERE line = $1', ['crowded']);
  expect(notices).toHaveLength(20);
});

test('a case is deleted 180 days after its decision, and an open one stays', async () => {
  const [decided, open] = [await openCase('kept'), await openCase('kept')];
  const { decidedAt } = await cases.decide(decided.number, UPHELD, noted, async () => undefined);
  const after = (days: number) => new Date(decidedAt!.getTime() + days * 86_400_000);
  await cases.forget(after(179));
  expect(await cases.find(decided.number)).toMatchObject(UPHELD);
  await cases.forget(after(180));
  expect([await cases.find(decided.number), await cases.find(open.number)]).toMatchObject([
    undefined,
    { state: 'open' },
  ]);
});

test('the open cases of each kind are counted, with the age of the oldest', async () => {
  await db.query("UPDATE cases SET state = 'upheld', decided_at = now() WHERE state = 'open'");
  const none = { open: 0, oldestAt: null };
  expect(await cases.waiting()).toEqual([
    { kind: 'report', ...none },
    { kind: 'review', ...none },
  ]);
  const first = await openCase('waiting1');
  await openCase('waiting2');
  expect(await cases.waiting()).toEqual([
    { kind: 'report', ...none },
    { kind: 'review', open: 2, oldestAt: first.createdAt },
  ]);
});
