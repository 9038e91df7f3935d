export type { Case } from './case.ts';
