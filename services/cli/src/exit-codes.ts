/** The meaning of each exit code, from 0. `waypost help` and docs/cli.md show them. */
export const EXIT_CODES: readonly string[] = [
  'success',
  'the command failed: the API refused, you declined, or a file cannot be written',
  'wrong usage',
  '`bulk`: the quota is used up and rows remain; run the same command again to continue',
  '`bulk`: finished, but some rows cannot be created',
  'the key is invalid (401) or has no permission (403)',
  'temporary failure: no response, 429 or 5xx, even after the last retry',
  '`check`: at least one address is flagged, or refused as a destination',
  '`check`: at least one address has a warning, none is flagged or refused',
];
