/** One run of the command line: where the API is, with which key, and how an answer is said. */
import { safeJson, safeText, UsageError } from '@waypost/command-line';
import { Waypost, WaypostError } from '@waypost/sdk';
import pc from 'picocolors';
import { errorWords, toldError } from './error-words.ts';
import { profileOf } from './profiles.ts';
import { proxyFetch } from './proxy.ts';
import type { Look } from './show.ts';
import type { Terminal } from './terminal.ts';

/** What every command takes. */
export interface CommonOptions {
  readonly json?: true | undefined;
  readonly url?: string | undefined;
  readonly profile?: string | undefined;
}

export interface Connection {
  /** Without a trailing slash. */
  readonly url: string;
  readonly key: string;
  /** The name of the profile it is from; null if it is from the environment. */
  readonly profile: string | null;
}

/** It is done, but not as it should be: the exit code tells. */
export class Ended extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super();
    this.exitCode = exitCode;
  }
}

export type Session = ReturnType<typeof openSession>;

export function openSession(environment: NodeJS.ProcessEnv, given: Terminal) {
  // Whatever an answer or an error repeats, no key is printed. Too short a text is no key, and may be any word.
  const keys = new Set([(environment.WAYPOST_API_KEY ?? '').trim()]);
  const hide = (text: string) =>
    [...keys].reduce((hidden, key) => (key.length < 16 ? hidden : hidden.replaceAll(key, '[API key]')), text);
  const look = { columns: given.columns, paint: pc.createColors(given.colours === true) };
  let asJson = false;
  const terminal: Terminal = {
    ...given,
    out: (text) => given.out(hide(text)),
    err: (text) => {
      given.progress?.('');
      given.err(hide(text));
    },
  };

  const connection = (options: CommonOptions): Connection => {
    const found = readConnection(environment, options);
    keys.add(found.key);
    return found;
  };

  /** The API at `url` for this key. */
  const clientOf = ({ url, key }: Pick<Connection, 'url' | 'key'>): Waypost => {
    keys.add(key);
    return new Waypost({
      url,
      apiKey: key,
      userAgent: 'waypost-cli',
      retries: 2,
      fetch: proxyFetch(environment),
      sleep: terminal.sleep,
      random: terminal.random,
      onRetry: ({ error, waitMs, attempt, attempts }) => {
        if (asJson) return;
        const when = `in ${(waitMs / 1000).toFixed(1)} s (${attempt} of ${attempts})`;
        terminal.err(`${safeText(error.message)} Trying again ${when}.\n`);
      },
    });
  };

  return {
    terminal,
    environment,
    connection,
    clientOf,
    connect: (options: CommonOptions) => clientOf(connection(options)),
    /** Before a command: whether it was given `--json`. */
    begin: (isJson: boolean) => {
      asJson = isJson;
    },
    /** Why the API did not do it. */
    sayError: (error: WaypostError) =>
      terminal.err(`${asJson ? safeJson(toldError(error)) : errorWords(error, terminal.ask !== undefined)}\n`),
    /** The answer as JSON if that was asked for, or else in words. */
    say: <T>(options: CommonOptions, answer: T, words: (answer: T, look: Look) => string) =>
      terminal.out(`${options.json ? safeJson(answer) : inWords(() => words(answer, look))}\n`),
  };
}

function inWords(words: () => string): string {
  try {
    return words();
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new WaypostError('The answer is not that of Waypost.', { code: 'not_waypost', cause });
  }
}

/** Neither address nor key is repeated in an error: either could hold a secret. */
function readConnection(environment: NodeJS.ProcessEnv, options: CommonOptions): Connection {
  const asked = options.url ?? (environment.WAYPOST_URL ?? '').trim();
  const url = asked === '' ? undefined : addressOf(asked);
  const key = (environment.WAYPOST_API_KEY ?? '').trim();
  const profile = key !== '' && options.profile === undefined ? undefined : profileOf(environment, options.profile);
  if (profile === undefined) {
    if (key === '') throw new UsageError('Set WAYPOST_API_KEY to an API key, or log in once: waypost login');
    return { url: url ?? 'http://localhost:8080', key: keyOf(key), profile: null };
  }
  if (url !== undefined && url !== profile.url) {
    throw new UsageError(`The profile "${profile.name}" is for another address. Log in there: waypost login --url URL`);
  }
  return { url: profile.url, key: profile.key, profile: profile.name };
}

/** Without a trailing slash. */
export function addressOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UsageError('WAYPOST_URL or --url must be an address such as https://links.example.com.');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new UsageError('WAYPOST_URL or --url must hold no user name, password, query or fragment.');
  }
  let address = url.href;
  while (address.endsWith('/')) address = address.slice(0, -1);
  return address;
}

export function keyOf(text: string): string {
  if (!/^[\x21-\x7e]+$/.test(text)) throw new UsageError('This is not an API key.');
  return text;
}
