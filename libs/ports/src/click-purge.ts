export interface ClickPurge {
  /**
   * Deletes all stored clicks of these links; resolves when the store has taken it on, also if it never deletes and
   * leaves them to their age, and rejects with `unavailable`.
   */
  purge(slugs: readonly string[]): Promise<void>;
}
