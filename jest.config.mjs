/** Sources are TypeScript that Node runs as it is; jest only has its types stripped by the same Node. */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/libs/**/*.test.ts', '<rootDir>/services/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/scripts/jest-strip-types.mjs' },
  globalSetup: '<rootDir>/libs/adapter-embedded/test/test-postgres.mjs',
  globalTeardown: '<rootDir>/libs/adapter-embedded/test/test-postgres-stop.mjs',
  modulePathIgnorePatterns: ['<rootDir>/data/'],
  testTimeout: 30_000,
  maxWorkers: 2,
};
