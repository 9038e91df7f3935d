import { isNoteworthy } from '@waypost/resilience';
import winston from 'winston';
import { traceIdNow } from './tracing.ts';

const LEVELS = ['error', 'warn', 'info', 'debug'] as const;

export type Logger = Pick<winston.Logger, (typeof LEVELS)[number]>;

const traced = winston.format((line) => {
  const traceId = line.trace_id ?? traceIdNow();
  if (traceId !== undefined) line.trace_id = traceId;
  return line;
});

/** Writes to stderr: JSON, or readable lines on a terminal. Never log an API key, a secret or a visitor's address. */
export function createLogger(service: string, level: string): Logger {
  const { combine, timestamp, errors, json, printf, colorize } = winston.format;
  const readable = printf(({ timestamp: at, level: name, message, service: from, stack, ...fields }) => {
    const rest = Object.keys(fields).length > 0 ? ` ${JSON.stringify(fields)}` : '';
    return `${at} ${name} ${from}: ${message}${rest}${stack === undefined ? '' : `\n${stack}`}`;
  });
  return winston.createLogger({
    level,
    defaultMeta: { service },
    format: combine(
      errors({ stack: true, cause: true }),
      traced(),
      timestamp(),
      process.stderr.isTTY ? combine(colorize(), readable) : json(),
    ),
    transports: [new winston.transports.Console({ stderrLevels: [...LEVELS] })],
  });
}

export function errorFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error) };
  const code = (error as { code?: unknown }).code;
  return {
    error: error.message,
    ...(code === undefined ? {} : { code }),
    stack: error.stack,
    ...(error.cause === undefined ? {} : { cause: errorFields(error.cause) }),
  };
}

/** Returns a function that logs the first failure in a row, and then fewer and fewer of the following ones. */
export function warnOfRetries(logger: Pick<Logger, 'warn'>, what: string): (error: unknown, failures: number) => void {
  return (error, failures) => {
    if (isNoteworthy(failures)) logger.warn(`${what} failed, will retry`, { failures, ...errorFields(error) });
  };
}
