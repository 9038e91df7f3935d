/**
 * A number in the store of record. If it increases, everything that was cached under a lower number is invalid. This is
 * how redirectors learn of a change when the shared cache cannot be reached.
 */
export interface CacheGeneration {
  /** Rejects with `unavailable` if the store cannot answer. */
  read(): Promise<number>;
  /** Increases the number. Once this resolves, no later `read` returns an older one. */
  bump(): Promise<void>;
}
