import type { ThreatType } from '@waypost/domain';
import type { Subject } from './subject.ts';

/** One local sign of danger. Rules are data: each can be explained, counted and switched off by its id. */
export interface Rule {
  readonly id: string;
  /** Raised with every change of what it finds: the links that exist are then looked at again. */
  readonly version: number;
  readonly action: 'flag' | 'warn';
  readonly threatType: ThreatType;
  /** Whether it looks at the path too: the others say the same of every URL of one host. */
  readonly readsPath?: true;
  /** What it found, as a person should read it; undefined if nothing. */
  readonly check: (subject: Subject) => string | undefined;
}
