import base from './jest.config.mjs';

/** The fault suites: real processes, killed and starved. Run by `.ci/run`, one after the other. */
export default {
  ...base,
  testMatch: ['<rootDir>/services/**/test/faults/*.fault.ts'],
  testTimeout: 300_000,
  maxWorkers: 1,
  forceExit: true, // a client that lingers must not hold up the run; `.ci/run` looks for processes left behind
};
