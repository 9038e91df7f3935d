import type { ErrorRows } from '../platform/http/errors.ts';

export const caseErrors = {
  case_not_found: [404, 'Case not found', 'There is no case with the number k7Qm2Rx-aB3dE6g.'],
  case_decided: [400, 'Already decided', 'The case k7Qm2Rx-aB3dE6g is already decided.'],
} satisfies ErrorRows;
