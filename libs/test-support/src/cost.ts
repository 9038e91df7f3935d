/**
 * Measures how the CPU time of some work grows with its input. It counts the CPU of this thread over many runs, so the
 * load of the machine does not matter.
 */

/** Samples must be long, or the noise of one run would matter. */
const SAMPLE_MS = 10;
const ROUNDS = 3;
/** Noise only adds time, so a superlinear result is measured again with more rounds. */
const MOST_ROUNDS = 20;
const DOUBTFUL = 2.2;

/**
 * Returns how many times as much CPU `work` takes for input of twice the size. The result is about 2 if the cost is
 * linear, 4 if it is quadratic, and 1 if the input is refused unread. It compares half of `size` with twice of it, and
 * takes the minimum of several rounds for each size.
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

/** Returns the CPU time of the cheapest of ROUNDS runs of `work` on this thread, in milliseconds. */
export function leastCpuMs(work: () => unknown): number {
  const costs = Array.from({ length: ROUNDS }, () => {
    const before = cpuMs();
    work();
    return cpuMs() - before;
  });
  return Math.min(...costs);
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

/**
 * Returns the CPU time of this thread. It must read that of the process first: only then does Linux count up to now,
 * and not in steps of 4 ms.
 */
function cpuMs(): number {
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1e3;
}
