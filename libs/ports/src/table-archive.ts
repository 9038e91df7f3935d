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
