import { expect, test } from '@jest/globals';
import { afterwards } from '@waypost/test-support/afterwards';
import { link, startRedirector } from '../test/support.ts';

test('a change is confirmed after the redirects that were decided before it in the same turn', async () => {
  const revoked = link('abcDEF1', { status: 'revoked', revokedAt: '2026-08-19T10:00:00.000Z', version: 2 });
  let isVisited = false;
  let sentAtConfirmation: Promise<number> | undefined;
  const one = await startRedirector([link('abcDEF1')], {
    now: () => {
      // Asked for the time of a click, while its request is handled; then comes the change, and then the end of the turn.
      if (isVisited && sentAtConfirmation === undefined) {
        sentAtConfirmation = new Promise((resolve) => {
          process.nextTick(() => one.changed([revoked]).then(() => resolve(one.visited().answers.redirect)));
        });
      }
      return Date.now();
    },
  });
  afterwards(one.close);

  expect((await one.get('/abcDEF1')).status).toBe(302); // it is in memory now
  isVisited = true;
  expect((await one.get('/abcDEF1')).status).toBe(302);
  expect(await sentAtConfirmation).toBe(2);
  expect((await one.get('/abcDEF1')).status).toBe(410);
});
