import { describe, expect, test } from '@jest/globals';
import { fairSlots } from '../src/index.ts';

const STAYS = new AbortController().signal;
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** One turn at a time. `begun` lists the keys in the order of their turns. */
function line(waiting = 100) {
  let at = 0;
  const slots = fairSlots({ running: 1, waiting }, () => at);
  const begun: string[] = [];
  const refused: string[] = [];
  let release: (() => void) | undefined;
  const take = (key: string, signal = STAYS) =>
    slots.take(key, signal).then(
      (end) => {
        begun.push(key);
        release = end;
      },
      () => void refused.push(key),
    );
  const next = async () => {
    release?.();
    await settle();
  };
  const later = (ms: number) => {
    at += ms;
  };
  return { take, next, later, begun, refused };
}

describe('fair turns', () => {
  test('go to the key that asked least often lately, and among equal keys to the one that waits longest', async () => {
    const { take, next, begun } = line();
    for (const key of ['flood', 'flood', 'flood', 'flood']) void take(key);
    void take('one');
    void take('two');
    await settle();
    for (let i = 0; i < 5; i++) await next();
    expect(begun).toEqual(['flood', 'one', 'two', 'flood', 'flood', 'flood']);
  });

  test('go to a new key at once, however many others wait again, whether they had a turn or not', async () => {
    const { take, next, begun } = line(500);
    const flood = Array.from({ length: 200 }, (_, i) => `flood-${i}`);
    for (const key of [...flood, ...flood]) void take(key);
    for (let i = 0; i < 5; i++) await next();
    void take('person');
    await next();
    expect(begun.at(-1)).toBe('person');
  });

  test('do not depend on what was asked more than twenty minutes ago', async () => {
    const { take, next, later, begun } = line();
    const once = async (key: string) => {
      await take(key);
      await next();
    };
    for (let i = 0; i < 3; i++) await once('often');
    for (let i = 0; i < 2; i++) {
      later(10 * 60_000);
      await once('lately');
    }
    void take('holder');
    void take('lately');
    void take('often');
    await settle();
    await next();
    expect(begun.at(-1)).toBe('often');
  });

  test('have a queue of limited length, in which a new key takes the place of the key that asked most often', async () => {
    const { take, next, begun, refused } = line(3);
    for (let i = 0; i < 4; i++) void take('flood');
    void take('flood');
    await settle();
    expect(refused).toEqual(['flood']);
    void take('person');
    await settle();
    expect(refused).toEqual(['flood', 'flood']);
    await next();
    expect(begun).toEqual(['flood', 'person']);
  });

  test('leave the queue when the signal aborts', async () => {
    const { take, next, begun, refused } = line();
    const leaves = new AbortController();
    void take('a');
    void take('b', leaves.signal);
    void take('c');
    leaves.abort();
    await settle();
    expect(refused).toEqual(['b']);
    await next();
    expect(begun).toEqual(['a', 'c']);
    const late = take('d', leaves.signal);
    await late;
    expect(refused).toEqual(['b', 'd']);
  });
});
