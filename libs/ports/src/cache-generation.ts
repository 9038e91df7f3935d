/**
 * A number in the store of record. Raising it invalidates everything cached before: redirectors learn of a change this
 * way when the shared cache cannot be reached.
 */
export interface CacheGeneration {
  /** Rejects with `unavailable` if the store cannot answer. */
  read(): Promise<number>;
  /** Raises the number. Once this resolves, no `read` that begins later returns an older one. */
  bump(): Promise<void>;
}
