import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { WaypostOptions } from '@waypost/sdk';

/** Everything that a command does outside the program, except network requests. Tests pass their own object. */
export interface Terminal extends Pick<WaypostOptions, 'sleep' | 'random'> {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly readStdin: () => Promise<Uint8Array>;
  /** The width of the terminal. Undefined if stdout is a file or a pipe, where no line is cut. */
  readonly columns: number | undefined;
  readonly colours?: boolean;
  /** Undefined if no person is at a terminal. */
  readonly ask?: ((question: string, hidden?: 'hidden') => Promise<string>) | undefined;
  /** Replaces the last progress line, or removes it if the text is empty. Undefined if stderr is not a terminal. */
  readonly progress?: ((text: string) => void) | undefined;
  readonly browse?: (url: string) => Promise<void>;
}

export function processTerminal(environment: NodeJS.ProcessEnv): Terminal {
  const { stdin, stdout, stderr } = process;
  // A reader such as `head` may close the pipe early, which is not a failure.
  if (!stdout.listeners('error').includes(ignoreClosedPipe)) stdout.on('error', ignoreClosedPipe);
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    readStdin: () => buffer(stdin),
    columns: stdout.isTTY ? stdout.columns : undefined,
    colours: stdout.isTTY === true && !environment.NO_COLOR && environment.TERM !== 'dumb',
    ask: stdin.isTTY && stderr.isTTY ? ask : undefined,
    progress: stderr.isTTY ? (text) => void stderr.write(`\r\u001b[K${text}`) : undefined,
    browse,
  };
}

async function ask(question: string, hidden?: 'hidden'): Promise<string> {
  const { stdin, stderr } = process;
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: hidden ? nowhere : stderr, terminal: true });
  lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  if (hidden) stderr.write(question);
  try {
    return await Promise.race([lines.question(hidden ? '' : question), once(lines, 'close').then(() => '')]);
  } finally {
    lines.close();
    if (hidden) stderr.write('\n');
  }
}

function browse(url: string): Promise<void> {
  const [command, ...before] = { darwin: ['open'], win32: ['rundll32', 'url.dll,FileProtocolHandler'] }[
    process.platform as string
  ] ?? ['xdg-open'];
  return new Promise((resolve, reject) => {
    const opener = spawn(command!, [...before, url], { stdio: 'ignore', detached: true });
    opener.once('error', reject);
    opener.once('spawn', resolve);
    opener.unref();
  });
}

function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
