export interface ClickPurge {
  /**
   * Deletes all stored clicks of an account's links. Resolves once the store has accepted the task. It also resolves if the
   * store refuses the task; the clicks then stay until they expire. Rejects with `unavailable`.
   */
  purge(accountId: string): Promise<void>;
}
