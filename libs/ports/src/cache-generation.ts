/**
 * A number in the store of record that voids all that was cached before it was raised: how a change is made known to
 * redirectors when the shared cache cannot be reached.
 */
export interface CacheGeneration {
  /** Rejects with `unavailable` if the store cannot be asked. */
  read(): Promise<number>;
  /** Raises it. When this resolves, no `read` that begins later gives an older number. */
  bump(): Promise<void>;
}
