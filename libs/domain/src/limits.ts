/** The limits are described in docs/contract.md (Limits). */
export const LIMITS = {
  creationsPerHour: 300,
  linksPerBulkRequest: 500,
  activeKeysPerAccount: 20,
  passkeysPerAccount: 10,
  tagsPerLink: 10,
  tagLength: 50,
  destinationUrlBytes: 2048,
  pageSize: 100,
  defaultPageSize: 10,
  bodyBytes: 2 * 1024 * 1024,
  idempotencyHours: 24,
} as const;
