/** Notes in the audit log what an operator did with a feed. */
export type NoteFeed = (change: 'imported' | 'entry_released', feed: string, detail: string) => Promise<void>;
