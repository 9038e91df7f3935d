/** UTF-8 text in chunks of any length. */
export type Lines = AsyncIterable<Uint8Array>;

export interface ArchivedTable {
  readonly name: string;
  readonly columns: readonly string[];
}

export interface ArchivedSchema {
  /** The names of the applied migrations, oldest first. */
  readonly migrations: readonly string[];
  /** The last value of each sequence that was used. */
  readonly sequences: Readonly<Record<string, string>>;
}

/** Saves the tables of a store as text, and loads them into an empty store. It never holds a whole store in memory. */
export interface TableArchive {
  /** Passes each table to `write` in turn, with one line of text per row. The store may be in use meanwhile. */
  save(write: (table: ArchivedTable, lines: Lines) => Promise<void>): Promise<ArchivedSchema>;
  /** Rejects if the store has rows or a later schema. `load` rejects in the same cases. */
  expectLoadable(schema: ArchivedSchema): Promise<void>;
  /**
   * Creates the schema of the archive, loads the tables, and migrates to the schema of this version. If the store has
   * rows, it rejects and changes nothing.
   */
  load(schema: ArchivedSchema, tables: readonly (ArchivedTable & { readonly lines: () => Lines })[]): Promise<void>;
  clear(): Promise<void>;
}

/** The archive of the store with links and accounts. */
export interface LinkArchive extends TableArchive {
  /**
   * Passes to `write` a list, as CSV, of what a restore must not bring back: slugs that exist, with their states, and
   * what was deleted or suspended. Resolves to the number of its lines without the header.
   */
  saveRevoked(write: (lines: Lines) => Promise<void>): Promise<number>;
  /** Changes the loaded rows before a service uses them. */
  revise(revision: Revision): Promise<Revised>;
}

export interface Revision {
  /** The time of the backup. A password that was changed later is removed. */
  readonly madeAt: Date;
  /** A list from `saveRevoked`; or with `slugsOnly` one slug in each line, whose links are revoked. */
  readonly revoked?: { readonly lines: () => Lines; readonly slugsOnly: boolean } | undefined;
  readonly deleteKeys: boolean;
  /** Disables all webhooks. */
  readonly webhooksOff: boolean;
}

export interface Revised {
  /** What works again now as it did at the time of the backup. */
  readonly back: {
    readonly redirecting_links: number;
    readonly suspended_accounts: number;
    readonly keys: number;
    readonly passkeys: number;
    readonly passwords: number;
    readonly identities: number;
    readonly webhooks: number;
    /** The messages of these webhooks that wait and will be sent. */
    readonly webhook_messages: number;
  };
  /** What the revision changed, so that it is not back. */
  readonly revoked: {
    readonly links_revoked: number;
    readonly links_flagged: number;
    /** Slugs without a link in the backup. */
    readonly slugs_reserved: number;
    readonly keys: number;
    readonly passkeys: number;
    readonly passwords: number;
    readonly webhooks: number;
    readonly accounts_suspended: number;
  };
  /** The addresses of accounts that were deleted since. They are suspended and must be deleted again. */
  readonly accounts_to_delete: readonly string[];
}
