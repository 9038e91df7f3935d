import { safeJson, safeText } from '@waypost/command-line';
import type { WaypostError } from '@waypost/sdk';

export const NEXT: Readonly<Record<string, string>> = {
  unauthorized: 'See the key in use: waypost whoami. Use another key: waypost login',
  forbidden: 'See the scopes of this key: waypost whoami',
  rate_limited: 'See your quota: waypost whoami',
  no_answer: 'If the address is wrong, set WAYPOST_URL or --url.',
};

/** Returns the API's error as JSON, with values from its headers. `status` is 0 if there was no answer. */
export function errorJson({ code, message, status, details, retryAfter, errorId }: WaypostError) {
  return {
    error: code,
    message,
    status,
    ...(errorId !== undefined && { error_id: errorId }),
    ...(Object.keys(details).length > 0 && { details }),
    ...(retryAfter !== undefined && { retry_after: retryAfter }),
  };
}

const WRONG_ADDRESS: Readonly<Record<string, string>> = {
  redirected: '. Set WAYPOST_URL to the address of the API.',
  not_waypost: '. Check WAYPOST_URL.',
};

export function errorWords(error: WaypostError, forPerson: boolean): string {
  const { code, details, errorId, tries, retryAfter } = error;
  const fields = Object.entries(details).map(([field, problem]) => {
    const words = Array.isArray(problem)
      ? problem.join(', ')
      : typeof problem === 'string'
        ? problem
        : safeJson(problem);
    return `  ${safeText(field)}: ${safeText(words)}`;
  });
  const message = WRONG_ADDRESS[code] ? error.message.replace(/\.$/, WRONG_ADDRESS[code]) : error.message;
  const attempts = tries === 1 ? '' : ` Tried ${tries} times.`;
  const again =
    retryAfter === undefined ? '' : ` Try again in ${retryAfter} ${retryAfter === 1 ? 'second' : 'seconds'}.`;
  return [
    `${safeText(message)}${attempts}${again}`,
    ...fields,
    ...(errorId === undefined ? [] : [`  error_id: ${safeText(errorId)} (give this number to your administrator)`]),
    ...(forPerson && NEXT[code] ? [NEXT[code]] : []),
  ].join('\n');
}
