export interface SharedThreatState {
  /** The version is 0 while there is no state. */
  readonly version: number;
  /** Absent if there is no state, or none that is newer than the caller's version. */
  readonly state?: string;
}

/** The threat data that several scanners share. A file never changes: other content has another name. */
export interface SharedThreatData {
  read(knownVersion: number): Promise<SharedThreatState>;
  /** Resolves to undefined if the file is no longer stored. */
  file(name: string): Promise<Uint8Array | undefined>;
  /**
   * Stores a state and the files that it needs: calls `content` for those that are not stored yet, and removes others.
   * All or nothing. Resolves to the new version, or to undefined if the stored version is not `expected`.
   */
  publish(
    expected: number,
    state: string,
    files: readonly string[],
    content: (name: string) => Promise<Uint8Array | undefined>,
  ): Promise<number | undefined>;
  /** Resolves to whether this process leads. It becomes the leader if there is none. */
  leads(): Promise<boolean>;
  resign(): Promise<void>;
}
