import base from './jest.config.mjs';

/** What needs Kafka (Java, Maven) or redis-server, which a user's machine may lack. Run by `.ci/run`, one after the other. */
export default {
  ...base,
  testMatch: ['<rootDir>/**/test/**/*.stack.ts'],
  testTimeout: 60_000,
  maxWorkers: 1,
  forceExit: true, // a client that lingers must not hold up the run; `.ci/run` looks for processes left behind
};
