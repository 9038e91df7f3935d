import type { ThreatIndex } from './threat-index.ts';

/** One generation of the threat data. Never changed, only replaced: who took the reference sees one generation. */
export interface ThreatDatabase {
  readonly generation: string;
  readonly index: ThreatIndex;
}
