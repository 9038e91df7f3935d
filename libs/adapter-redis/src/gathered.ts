/**
 * Calls within one turn of the event loop share a run: `work` gets all their keys, at most `most` at a time, and
 * returns values in the same order. For a redirector, one command per look-up would cost more than the look-up itself.
 */
export function gathered<T>(
  work: (keys: readonly string[]) => Promise<readonly T[]>,
  most: number,
): (key: string) => Promise<T> {
  interface Waiting {
    readonly key: string;
    readonly resolve: (answer: T) => void;
    readonly reject: (error: unknown) => void;
  }
  let waiting: Waiting[] = [];

  function run(batch: readonly Waiting[]): void {
    work(batch.map(({ key }) => key)).then(
      (answers) => {
        for (const [i, { resolve }] of batch.entries()) resolve(answers[i]!);
      },
      (error: unknown) => {
        for (const { reject } of batch) reject(error);
      },
    );
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (waiting.length > 1) return;
      setImmediate(() => {
        const all = waiting;
        waiting = [];
        for (let from = 0; from < all.length; from += most) run(all.slice(from, from + most));
      });
    });
}
