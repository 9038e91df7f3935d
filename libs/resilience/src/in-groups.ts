interface Waiting<T, R> {
  readonly item: T;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/**
 * For each key, one call of `work` runs at a time. The next call gets all items that arrived during the previous call,
 * or in the same turn of the event loop. So no item waits for others, but under load more items share a call. The items
 * of a group have a total size of at most `most`, but a single item may be larger. `work` resolves to one result per
 * item, in the same order. If it rejects, all items of the group reject.
 */
export function inGroups<T, R>(
  { most, sizeOf = () => 1 }: { readonly most: number; readonly sizeOf?: (item: T) => number },
  work: (items: readonly T[]) => Promise<readonly R[]>,
): (key: string, item: T) => Promise<R> {
  /** The keys are those with a running call; the values are the waiting items. */
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
      // In this turn, the sockets deliver all data that has arrived, so more items can join the group.
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
