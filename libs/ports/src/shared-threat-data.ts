export interface SharedThreatState {
  /** Counts the changes; 0 while there is no state. */
  readonly version: number;
  /** As it was published. Absent if it is of the version that the caller knows, or if there is none. */
  readonly state?: string;
}

/**
 * What several scanners have in common: the state of the threat data that is in force, and the files that it names. A
 * file never changes: another content has another name.
 */
export interface SharedThreatData {
  /** The state in force. */
  read(knownVersion: number): Promise<SharedThreatState>;
  /** Undefined if it is not stored: a newer state may no longer need it. */
  file(name: string): Promise<Uint8Array | undefined>;
  /**
   * Puts a state in force, and forgets all files but these; `content` is asked for those that are not stored yet, and
   * those without one are left out. All or nothing. Resolves to the new version, or to undefined if another one than
   * `expected` is in force.
   */
  publish(
    expected: number,
    state: string,
    files: readonly string[],
    content: (name: string) => Promise<Uint8Array | undefined>,
  ): Promise<number | undefined>;
  /** Whether this process is the leader, the one of all that share the data; if there is none, it becomes it. */
  leads(): Promise<boolean>;
  /** Lets another process lead. */
  resign(): Promise<void>;
}
