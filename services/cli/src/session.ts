import { safeJson, safeText, UsageError } from '@waypost/command-line';
import { Waypost, WaypostError } from '@waypost/sdk';
import pc from 'picocolors';
import { errorJson, errorWords } from './error-words.ts';
import { type Profile, profileOf } from './profiles.ts';
import { fetches } from './proxy.ts';
import type { Look } from './show.ts';
import type { Terminal } from './terminal.ts';
import { urlOf } from './url.ts';

export interface CommonOptions {
  readonly json?: true | undefined;
  readonly url?: string | undefined;
  readonly profile?: string | undefined;
}

export interface Connection extends Profile {
  /** The name of the profile, or null if the connection comes from environment variables. */
  readonly profile: string | null;
}

export class Ended extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super();
    this.exitCode = exitCode;
  }
}

export type Session = ReturnType<typeof openSession>;

/** With `operator`, the session is of the operator: it has no key, and prints what operators are promised. */
export function openSession(environment: NodeJS.ProcessEnv, ownTerminal: Terminal, operator?: Waypost) {
  // No output contains a key, even if an answer repeats it. A text under 16 characters is no key and may be any word.
  const keys = new Set([(environment.WAYPOST_API_KEY ?? '').trim()]);
  const hide = (text: string) =>
    [...keys].reduce((hidden, key) => (key.length < 16 ? hidden : hidden.replaceAll(key, '[API key]')), text);
  const look = { columns: ownTerminal.columns, paint: pc.createColors(ownTerminal.colours === true) };
  const fetchFor = fetches(environment);
  let asJson = false;
  const terminal: Terminal = {
    ...ownTerminal,
    out: (text) => ownTerminal.out(hide(text)),
    err: (text) => {
      ownTerminal.progress?.('');
      ownTerminal.err(hide(text));
    },
  };

  const connection = (options: CommonOptions): Connection => {
    const connection = readConnection(environment, options);
    keys.add(connection.key);
    return connection;
  };

  const clientOf = ({ url, key }: Profile): Waypost => {
    keys.add(key);
    return new Waypost({
      url,
      apiKey: key,
      userAgent: 'waypost-cli',
      retries: 2,
      fetch: fetchFor(url),
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
    fetchFor,
    isOperator: operator !== undefined,
    connect: (options: CommonOptions) => operator ?? clientOf(connection(options)),
    begin: (isJson: boolean) => {
      asJson = isJson;
    },
    sayError: (error: WaypostError) =>
      terminal.err(`${asJson ? safeJson(errorJson(error)) : errorWords(error, terminal.ask !== undefined)}\n`),
    /** `forOperator` makes the JSON of an operator command (docs/operator-interface.md), if it is not the answer. */
    print: <T>(
      options: CommonOptions,
      answer: T,
      words: (answer: T, look: Look) => string,
      forOperator: (answer: T) => unknown = (same) => same,
    ) => {
      const json = () => safeJson(operator === undefined ? answer : forOperator(answer));
      const text = options.json ? json() : inWords(() => words(answer, look));
      if (text !== '') terminal.out(`${text}\n`);
    },
  };
}

function inWords(words: () => string): string {
  try {
    return words();
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new WaypostError('The response is not from Waypost.', { code: 'not_waypost', cause });
  }
}

/** No error here repeats the base URL or the key, because either could contain a secret. */
function readConnection(environment: NodeJS.ProcessEnv, options: CommonOptions): Connection {
  const address = options.url ?? (environment.WAYPOST_URL ?? '').trim();
  const url = address === '' ? undefined : addressOf(address);
  const key = (environment.WAYPOST_API_KEY ?? '').trim();
  const profile = key !== '' && options.profile === undefined ? undefined : profileOf(environment, options.profile);
  if (profile === undefined) {
    if (key === '') throw new UsageError('No API key. Set WAYPOST_API_KEY, or log in: waypost login');
    return { url: url ?? 'http://localhost:8080', key: keyOf(key), profile: null };
  }
  if (url !== undefined && url !== profile.url) {
    throw new UsageError(
      `The profile "${profile.name}" belongs to another address. Log in to this one: waypost login --url URL`,
    );
  }
  return { url: profile.url, key: profile.key, profile: profile.name };
}

/** Returns the base URL without a trailing slash. Throws `UsageError`. */
export function addressOf(text: string): string {
  const url = urlOf(text);
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UsageError('WAYPOST_URL or --url must be an address such as https://links.example.com.');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new UsageError('WAYPOST_URL or --url must not contain a user name, password, query or fragment.');
  }
  let address = url.href;
  while (address.endsWith('/')) address = address.slice(0, -1);
  return address;
}

export function keyOf(text: string): string {
  if (!/^[\x21-\x7e]+$/.test(text)) throw new UsageError('This is not an API key. Check for spaces and line breaks.');
  return text;
}
