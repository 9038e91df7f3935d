import type { ThreatType } from '@waypost/domain';
import type { Subject } from './subject.ts';

/** A local sign of danger. Rules are data: each can be explained, counted and switched off by its id. */
export interface Rule {
  readonly id: string;
  /** Raise it with every change of what the rule finds: existing links are then scanned again. */
  readonly version: number;
  readonly action: 'flag' | 'warn';
  readonly threatType: ThreatType;
  /** Whether it reads the path too; other rules give the same result for every URL of a host. */
  readonly readsPath?: true;
  /** Returns the evidence for people to read; undefined if it finds nothing. */
  readonly check: (subject: Subject) => string | undefined;
}
