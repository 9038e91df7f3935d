export interface ClickPurge {
  /**
   * Deletes all stored clicks of these links. Resolves once the store has accepted the task. It also resolves if the
   * store refuses the task; the clicks then stay until they expire. Rejects with `unavailable`.
   */
  purge(slugs: readonly string[]): Promise<void>;
}
