import { safeJson, safeText } from '@waypost/command-line';
import type { WaypostError } from '@waypost/sdk';

export const NEXT: Readonly<Record<string, string>> = {
  unauthorized: 'See which key this was: waypost whoami. Use another: waypost login',
  forbidden: 'See what this key may do: waypost whoami',
  rate_limited: 'See the quota: waypost whoami',
  no_answer: 'Is that the right address? WAYPOST_URL or --url sets another.',
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
  redirected: ': set WAYPOST_URL to where the API is.',
  not_waypost: ': is WAYPOST_URL right?',
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
    ...(errorId === undefined ? [] : [`  error_id: ${safeText(errorId)} (tell your administrator this number)`]),
    ...(forPerson && NEXT[code] ? [NEXT[code]] : []),
  ].join('\n');
}
