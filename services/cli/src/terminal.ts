import { buffer } from 'node:stream/consumers';

/** What a command touches besides the network. Tests pass their own. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly readStdin: () => Promise<Uint8Array>;
  /** Columns of the terminal; undefined if stdout is a file or a pipe, where nothing is cut. */
  readonly columns: number | undefined;
  readonly sleep: (ms: number) => Promise<void>;
  readonly random: () => number;
}

export function processTerminal(): Terminal {
  // `waypost list | head`: whoever reads has enough, and that is no failure.
  if (!process.stdout.listeners('error').includes(ignoreClosedPipe)) process.stdout.on('error', ignoreClosedPipe);
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    readStdin: () => buffer(process.stdin),
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    random: Math.random,
  };
}

function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
