/**
 * How the CPU time of some work grows with its input. It measures CPU of this thread over many runs, not wall time, so
 * the load of the machine does not count.
 */

/** Long enough that the noise of one run does not matter. */
const SAMPLE_MS = 10;
const ROUNDS = 3;
/** A superlinear result is measured again for longer: noise only ever adds. */
const MOST_ROUNDS = 20;
const DOUBTFUL = 2.2;

/**
 * How many times as much CPU `work` takes for input of twice the size: 2 if the cost is linear, 4 if it is quadratic, 1
 * if the input is refused unread. Measured from half of `size` to twice of it, so over two doublings; the minimum of
 * several rounds for each size, with the sizes in turn.
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

/** CPU of the cheapest of ROUNDS runs of `work` on this thread, in ms. */
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
 * CPU of this thread. Reading the process first matters: only then does Linux count up to now, otherwise in steps of 4
 * ms.
 */
function cpuMs(): number {
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1e3;
}
