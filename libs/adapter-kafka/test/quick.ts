/** Short times, so that a test sees recovery quickly. */
export const QUICK = {
  requestTimeoutMs: 1_500,
  sessionTimeoutMs: 3_000,
  heartbeatIntervalMs: 500,
  rebalanceTimeoutMs: 6_000,
  backoffMs: { first: 50, most: 500 },
} as const;
