export interface SharedThreatState {
  /** Counts the changes. */
  readonly version: number;
  /** As it was published. */
  readonly state: string;
}

/**
 * What several scanners have in common: the state of the threat data that is in force, and the files that it names. A
 * file is known by its digest, a text of the caller's, and never changes.
 */
export interface SharedThreatData {
  /** Of the state in force; 0 while there is none. */
  version(): Promise<number>;
  /** Undefined while there is none. */
  read(): Promise<SharedThreatState | undefined>;
  /** Undefined if it is not stored: a newer state may no longer need it. */
  content(digest: string): Promise<Uint8Array | undefined>;
  /**
   * Puts a state in force, with the files of these digests, and forgets all other files; `file` is asked for those that
   * are not stored yet. All or nothing. Resolves to the new version, or to undefined if another one than `expected` is in
   * force.
   */
  publish(
    expected: number,
    state: string,
    digests: readonly string[],
    file: (digest: string) => Promise<Uint8Array>,
  ): Promise<number | undefined>;
  /** Whether this process is the leader, the one of all that share the data; if there is none, it becomes it. */
  leads(): Promise<boolean>;
  /** Lets another process lead. */
  resign(): Promise<void>;
}
