import { describe, expect, test } from '@jest/globals';
import { sharedAnswers } from '../src/index.ts';

const STAYS = new AbortController().signal;

/** Answers that are given by hand, and a clock that is set by hand. */
function byHand(size = 10) {
  const at = { ms: 0 };
  const asked: { signal: AbortSignal; answer(value: number): void; fail(error: Error): void }[] = [];
  const answers = sharedAnswers<number>({ keepMs: 1_000, size, now: () => at.ms });
  const get = (key: string, signal = STAYS) =>
    answers.get(key, signal, (unwanted) => {
      return new Promise<number>((answer, fail) => asked.push({ signal: unwanted, answer, fail }));
    });
  return { at, asked, get };
}

describe('a shared answer', () => {
  test('is made once for all who ask meanwhile, and kept from when its work began', async () => {
    const { at, asked, get } = byHand();
    const all = Promise.all([get('a'), get('a'), get('a')]);
    const other = get('b');
    expect(asked).toHaveLength(2);
    at.ms = 900;
    asked[0]!.answer(1);
    asked[1]!.answer(2);
    expect([await all, await other, await get('a')]).toEqual([[1, 1, 1], 2, 1]);
    at.ms = 1_000;
    const again = get('a');
    asked[2]!.answer(3);
    expect(await again).toBe(3);
  });

  test('that fails is not kept', async () => {
    const { asked, get } = byHand();
    const both = Promise.allSettled([get('a'), get('a')]);
    asked[0]!.fail(new Error('away'));
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const again = get('a');
    asked[1]!.answer(1);
    expect(await again).toBe(1);
  });

  test('is given up when the last one has gone, not before', async () => {
    const { asked, get } = byHand();
    const leaving = [new AbortController(), new AbortController()] as const;
    const both = leaving.map(({ signal }) => get('a', signal));
    leaving[0].abort();
    await expect(both[0]).rejects.toThrow();
    expect(asked[0]!.signal.aborted).toBe(false);
    leaving[1].abort();
    await expect(both[1]).rejects.toThrow();
    expect(asked[0]!.signal.aborted).toBe(true);
    const fresh = get('a');
    asked[1]!.answer(7);
    expect(await fresh).toBe(7);
    expect(asked[1]!.signal.aborted).toBe(false);
  });

  test('gives way to newer ones', async () => {
    const { asked, get } = byHand(2);
    for (const [i, key] of ['a', 'b', 'c'].entries()) {
      const one = get(key);
      asked[i]!.answer(i);
      await one;
    }
    await get('c');
    expect(asked).toHaveLength(3);
    void get('a');
    expect(asked).toHaveLength(4);
  });
});
