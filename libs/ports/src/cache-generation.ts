export interface CacheState {
  readonly generation: number;
  /** The servers of the shared cache that may be read, and under which name. See `admit`. */
  readonly servers: Readonly<Record<string, string>>;
}

/**
 * A number in the store of record. If it increases, everything that was cached under a lower number is invalid. This is
 * how redirectors learn of a change when the shared cache cannot be reached.
 */
export interface CacheGeneration {
  /** Rejects with `unavailable` if the store cannot answer. */
  read(): Promise<CacheState>;
  /** Increases the number. Once this resolves, no later `read` returns an older one. */
  bump(): Promise<void>;
  /**
   * Allows these servers to be read, and no others. One that was allowed keeps its name. Another gets a new name, so
   * that nobody reads what it had before. Needed if an old server may still answer after another took its place.
   */
  admit(servers: readonly string[]): Promise<void>;
}
