interface Waiting<T, R> {
  readonly item: T;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/**
 * For each key one call of `work` at a time, with all items that came while the one before ran, and those that come in the
 * same turn of the event loop: nobody waits for others to arrive, and the more there are, the more share one call. No item
 * joins a call that has begun. A group has a size of at most `most`, or one item. `work` resolves to a result for each
 * item, in order; if it rejects, each of them does.
 */
export function inGroups<T, R>(
  { most, sizeOf = () => 1 }: { readonly most: number; readonly sizeOf?: (item: T) => number },
  work: (items: readonly T[]) => Promise<readonly R[]>,
): (key: string, item: T) => Promise<R> {
  /** Of each key at work, those that wait. */
  const lines = new Map<string, Waiting<T, R>[]>();

  function nextGroup(line: Waiting<T, R>[]): Waiting<T, R>[] {
    let size = 0;
    const others = line.findIndex(({ item }, i) => {
      size += sizeOf(item);
      return i > 0 && size > most;
    });
    return line.splice(0, others === -1 ? line.length : others);
  }

  async function run(key: string, line: Waiting<T, R>[]): Promise<void> {
    while (line.length > 0) {
      // What has been received already comes now.
      await new Promise(setImmediate);
      const group = nextGroup(line);
      try {
        const results = await work(group.map(({ item }) => item));
        for (const [i, { resolve }] of group.entries()) resolve(results[i]!);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    lines.delete(key);
  }

  return (key, item) =>
    new Promise((resolve, reject) => {
      const waiting = { item, resolve, reject };
      const line = lines.get(key);
      if (line !== undefined) {
        line.push(waiting);
        return;
      }
      const begun = [waiting];
      lines.set(key, begun);
      void run(key, begun);
    });
}
