/**
 * How the CPU time of a piece of work grows with its input. CPU of this thread over many runs, not wall time: what else
 * the machine does is not in it.
 */

/** Long enough that one run's noise does not count. */
const SAMPLE_MS = 20;
const ROUNDS = 5;
/** What looks like more than linear is measured for longer: noise only ever adds. */
const MOST_ROUNDS = 20;
const DOUBTFUL = 2.2;

/**
 * How many times as much CPU `work` takes for the input of twice the size: 2 where the cost is linear, 4 where it is
 * quadratic, 1 where the input is refused unread. Taken from half of `size` to twice of it, so over two doublings; the
 * least of several rounds for each, the sizes by turns.
 */
export async function costOfDoubling<Input>(
  inputOf: (size: number) => Input,
  work: (input: Input) => unknown,
  size: number,
): Promise<number> {
  const inputs = [inputOf(Math.ceil(size / 2)), inputOf(2 * size)] as const;
  const least = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let ratio = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS || (round < MOST_ROUNDS && ratio > DOUBTFUL); round++) {
    for (const [i, input] of inputs.entries()) least[i] = Math.min(least[i]!, await cpuOfOneRun(work, input));
    ratio = Math.sqrt(least[1]! / least[0]!);
  }
  return ratio;
}

async function cpuOfOneRun<Input>(work: (input: Input) => unknown, input: Input): Promise<number> {
  let runs = 0;
  const [cpu, began] = [cpuMs(), performance.now()];
  while (performance.now() - began < SAMPLE_MS) {
    const result = work(input);
    if (result instanceof Promise) await result;
    runs++;
  }
  return (cpuMs() - cpu) / runs;
}

/** CPU of this thread. Asked for the whole process first, since Linux counts up to now only then, and in steps of 4 ms else. */
function cpuMs(): number {
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1e3;
}
