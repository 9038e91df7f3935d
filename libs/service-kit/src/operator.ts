/**
 * The operator commands: one table for both ways in, the running process (over its internal port) and the command
 * line while nothing runs.
 */
import { timingSafeEqual } from 'node:crypto';
import { DomainError } from '@waypost/domain';
import type { RequestHandler } from 'express';

/** What a command was given, by the names of its options; the file of `import-feed` as its content. */
export type OperatorOptions = Readonly<Record<string, string | boolean | undefined>>;
export type OperatorCommand = (options: OperatorOptions) => Promise<unknown>;
export type OperatorCommands = Readonly<Record<string, OperatorCommand>>;

export interface OperatorFailure {
  readonly message: string;
  readonly details?: unknown;
}

/** POST /operator with `{ command, options }` and the secret of `secrets.json`, on the internal port only. */
export function operatorEndpoint(
  commands: OperatorCommands,
  secret: string,
  onError: (error: unknown) => void,
): RequestHandler {
  const expected = Buffer.from(`Bearer ${secret}`);
  return async (request, response) => {
    const given = Buffer.from(request.headers.authorization ?? '');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      response
        .status(401)
        .json({ message: 'this needs the operator secret of secrets.json' } satisfies OperatorFailure);
      return;
    }
    const { command, options } = request.body as { command: string; options: OperatorOptions };
    const run = Object.hasOwn(commands, command) ? commands[command] : undefined;
    if (run === undefined) {
      response.status(404).json({ message: `there is no command ${command}` } satisfies OperatorFailure);
      return;
    }
    try {
      response.json({ result: await run(options) });
    } catch (error) {
      if (!(error instanceof DomainError)) onError(error);
      response.status(422).json(failureOf(error));
    }
  };
}

export function failureOf(error: unknown): OperatorFailure {
  const message = error instanceof Error ? error.message : String(error);
  const details = error instanceof DomainError ? error.details : undefined;
  return details === undefined ? { message } : { message, details };
}

/** The text of an option; throws if it is missing. */
export function textOption(options: OperatorOptions, name: string): string {
  const value = options[name];
  if (typeof value !== 'string') throw new Error(`--${name} is missing`);
  return value;
}
