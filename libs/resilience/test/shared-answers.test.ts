import { describe, expect, test } from '@jest/globals';
import { sharedAnswers } from '../src/index.ts';

const STAYS = new AbortController().signal;

function byHand(size = 10) {
  const at = { ms: 0 };
  const runs: { signal: AbortSignal; answer(value: number): void; fail(error: Error): void }[] = [];
  const answers = sharedAnswers<number>({ keepMs: 1_000, size, now: () => at.ms });
  const get = (key: string, signal = STAYS) =>
    answers.get(key, signal, (unwanted) => {
      return new Promise<number>((answer, fail) => runs.push({ signal: unwanted, answer, fail }));
    });
  return { at, runs, get };
}

describe('a shared answer', () => {
  test('is computed once for concurrent callers, and cached from the start of its work', async () => {
    const { at, runs, get } = byHand();
    const all = Promise.all([get('a'), get('a'), get('a')]);
    const other = get('b');
    expect(runs).toHaveLength(2);
    at.ms = 900;
    runs[0]!.answer(1);
    runs[1]!.answer(2);
    expect([await all, await other, await get('a')]).toEqual([[1, 1, 1], 2, 1]);
    at.ms = 1_000;
    const again = get('a');
    runs[2]!.answer(3);
    expect(await again).toBe(3);
  });

  test('that fails is not cached', async () => {
    const { runs, get } = byHand();
    const both = Promise.allSettled([get('a'), get('a')]);
    runs[0]!.fail(new Error('away'));
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const again = get('a');
    runs[1]!.answer(1);
    expect(await again).toBe(1);
  });

  test('is aborted when its last caller leaves, but not before', async () => {
    const { runs, get } = byHand();
    const leaving = [new AbortController(), new AbortController()] as const;
    const both = leaving.map(({ signal }) => get('a', signal));
    leaving[0].abort();
    await expect(both[0]).rejects.toThrow();
    expect(runs[0]!.signal.aborted).toBe(false);
    leaving[1].abort();
    await expect(both[1]).rejects.toThrow();
    expect(runs[0]!.signal.aborted).toBe(true);
    const fresh = get('a');
    runs[1]!.answer(7);
    expect(await fresh).toBe(7);
    expect(runs[1]!.signal.aborted).toBe(false);
  });

  test('is removed when there are too many newer answers', async () => {
    const { runs, get } = byHand(2);
    for (const [i, key] of ['a', 'b', 'c'].entries()) {
      const one = get(key);
      runs[i]!.answer(i);
      await one;
    }
    await get('c');
    expect(runs).toHaveLength(3);
    void get('a');
    expect(runs).toHaveLength(4);
  });
});
