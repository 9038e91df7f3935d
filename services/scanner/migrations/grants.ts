import type { Right } from '@waypost/postgres';

/** The rights on the scanner's tables. `prepare` grants them after each migration. */
export const RIGHTS: Readonly<Record<string, readonly Right[]>> = {
  waypost_scanner: [
    'SELECT, INSERT, DELETE ON scanner_keys, scanner_files',
    'SELECT, INSERT, UPDATE ON scanner_state',
    'SELECT, INSERT, UPDATE, DELETE ON scanner_links, scanner_looks, scanner_hosts',
  ],
};
