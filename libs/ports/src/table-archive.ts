/** UTF-8 text in pieces of any length. */
export type Lines = AsyncIterable<Uint8Array>;

export interface ArchivedTable {
  readonly name: string;
  readonly columns: readonly string[];
}

export interface ArchivedSchema {
  /** The migrations that the store has, oldest first. */
  readonly migrations: readonly string[];
  /** The last value of each sequence that was used. */
  readonly sequences: Readonly<Record<string, string>>;
}

/** Saves the tables of a store as text, and loads them into an empty one. A store is never held in memory. */
export interface TableArchive {
  /** Passes each table to `write` in turn, with one line of text for each row, while the store is in use. */
  save(write: (table: ArchivedTable, lines: Lines) => Promise<void>): Promise<ArchivedSchema>;
  /** Rejects, without a change, where `load` would before it loads anything: the store has rows, or a later schema. */
  expectLoadable(schema: ArchivedSchema): Promise<void>;
  /**
   * Creates the schema of the archive, loads the tables, and migrates to the schema of this version. Rejects, without a
   * change, when the store has rows.
   */
  load(schema: ArchivedSchema, tables: readonly (ArchivedTable & { readonly lines: () => Lines })[]): Promise<void>;
  /** Takes everything out again that `load` has loaded. */
  clear(): Promise<void>;
}
