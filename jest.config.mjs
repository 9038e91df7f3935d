/** Sources are TypeScript that Node runs as it is; jest only has its types stripped by the same Node. */
const project = (displayName, testTimeout, ...testMatch) => ({
  displayName,
  testMatch: testMatch.map((pattern) => `<rootDir>/${pattern}`),
  testTimeout,
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/scripts/jest-strip-types.mjs' },
  globalSetup: '<rootDir>/libs/adapter-embedded/test/test-postgres.mjs',
  globalTeardown: '<rootDir>/libs/adapter-embedded/test/test-postgres-stop.mjs',
  modulePathIgnorePatterns: ['<rootDir>/data/'],
});

export default {
  projects: [
    // What `npm test` runs: embedded engines, nothing but npm packages.
    project('embedded', 30_000, 'libs/**/*.test.ts', 'services/**/*.test.ts'),
    // The next two are run by `.ci/run`, one file after the other.
    // Needs Kafka (Java, Maven) or redis-server, which a user's machine may lack.
    project('stack', 60_000, '**/test/**/*.stack.ts'),
    // Real processes, killed and starved.
    project('faults', 300_000, 'services/**/test/faults/*.fault.ts'),
  ],
};
