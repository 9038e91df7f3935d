import { expect, test } from '@jest/globals';
import { afterwards } from '@waypost/test-support/afterwards';
import { link, startRedirector } from '../../test/support.ts';

test('a change is confirmed only after the earlier redirects of the same turn have been sent', async () => {
  const revoked = link('abcDEF1', { status: 'revoked', revokedAt: '2026-08-19T10:00:00.000Z', version: 2 });
  let isVisited = false;
  let sentAtConfirmation: Promise<number> | undefined;
  const one = await startRedirector([link('abcDEF1')], {
    now: () => {
      // The click asks for its time here. The change follows in the same turn of the event loop.
      if (isVisited && sentAtConfirmation === undefined) {
        sentAtConfirmation = new Promise((resolve) => {
          process.nextTick(() => one.changed([revoked]).then(() => resolve(one.visited().answers.redirect)));
        });
      }
      return Date.now();
    },
  });
  afterwards(one.close);

  expect((await one.get('/abcDEF1')).status).toBe(302); // the link is in memory now
  isVisited = true;
  expect((await one.get('/abcDEF1')).status).toBe(302);
  expect(await sentAtConfirmation).toBe(2);
  expect((await one.get('/abcDEF1')).status).toBe(410);
});
