const integer = { type: 'integer', minimum: 0 };

export const HEADERS = {
  'X-RateLimit-Limit': { description: 'Maximum number of link creations per hour.', schema: integer },
  'X-RateLimit-Used': { description: 'Link creations used in the current window.', schema: integer },
  'X-RateLimit-Remaining': { description: 'Link creations left in the current window.', schema: integer },
  'X-RateLimit-Reset': {
    description:
      'When the current window ends, as a Unix timestamp in seconds. If no window is open: one hour from now.',
    schema: integer,
  },
  'Retry-After': { description: 'Seconds to wait before a retry.', schema: { type: 'integer', minimum: 1 } },
  'Idempotency-Replayed': {
    description: 'The response is a replay: an earlier request with the same `Idempotency-Key` created it.',
    schema: { type: 'string', const: 'true' },
  },
  'WWW-Authenticate': { description: 'The authentication scheme.', schema: { type: 'string', const: 'Bearer' } },
  Allow: { description: 'The methods that the path supports.', schema: { type: 'string' } },
  'X-Request-Id': {
    description:
      'The ID of the request in the log of the server. You can send your own: 1 to 64 letters, digits, `.`, `_` or `-`.',
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
