const integer = { type: 'integer', minimum: 0 };

export const HEADERS = {
  'X-RateLimit-Limit': { description: 'Links that may be made per hour.', schema: integer },
  'X-RateLimit-Used': { description: 'Links made in the current hour.', schema: integer },
  'X-RateLimit-Remaining': { description: 'Links that still may be made in the current hour.', schema: integer },
  'X-RateLimit-Reset': {
    description:
      'When the current hour ends, in Unix seconds, the same in each answer of that hour. With none open: an hour from now.',
    schema: integer,
  },
  'Retry-After': { description: 'Seconds after which to try again.', schema: { type: 'integer', minimum: 1 } },
  'Idempotency-Replayed': {
    description: 'This is the answer to an earlier request with the same key.',
    schema: { type: 'string', const: 'true' },
  },
  'WWW-Authenticate': { description: 'The scheme to use.', schema: { type: 'string', const: 'Bearer' } },
  Allow: { description: 'The methods that this address answers.', schema: { type: 'string' } },
  'X-Request-Id': {
    description:
      'Names the request in the log of the server. Yours, if you sent one of 1 to 64 letters, digits, `.`, `_` or `-`.',
    schema: { type: 'string' },
  },
} as const;

export type HeaderName = keyof typeof HEADERS;

export const QUOTA_HEADERS = [
  'X-RateLimit-Limit',
  'X-RateLimit-Used',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
] as const;
