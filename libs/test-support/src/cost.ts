/**
 * How the CPU time of a piece of work grows with its input. CPU of this thread over many runs, not wall time: what else
 * the machine does is not in it.
 */

/** Long enough that one run's noise does not count, in microseconds of CPU. */
const SAMPLE_US = 20_000;
const ROUNDS = 5;

/**
 * How many times as much CPU `work` takes for the input of twice the size: 2 where the cost is linear, 4 where it is
 * quadratic, 1 where the input is refused unread. The least of several rounds for each size, the sizes taken by turns.
 */
export async function costOfDoubling<Input>(
  inputOf: (size: number) => Input,
  work: (input: Input) => unknown,
  size: number,
): Promise<number> {
  const inputs = [inputOf(size), inputOf(2 * size)] as const;
  const least = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, input] of inputs.entries()) least[i] = Math.min(least[i]!, await cpuOfOneRun(work, input));
  }
  return least[1]! / least[0]!;
}

async function cpuOfOneRun<Input>(work: (input: Input) => unknown, input: Input): Promise<number> {
  let runs = 0;
  const before = process.threadCpuUsage();
  for (;;) {
    const result = work(input);
    if (result instanceof Promise) await result;
    runs++;
    const { user, system } = process.threadCpuUsage(before);
    if (user + system >= SAMPLE_US) return (user + system) / runs;
  }
}
