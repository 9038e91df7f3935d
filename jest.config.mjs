/** Sources are TypeScript that Node runs as it is; jest only has its types stripped by the same Node. */
const project = (displayName, ...testMatch) => ({
  displayName,
  testMatch: testMatch.map((pattern) => `<rootDir>/${pattern}`),
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/scripts/jest-strip-types.mjs' },
  globalSetup: '<rootDir>/scripts/jest-setup.mjs',
  globalTeardown: '<rootDir>/scripts/jest-teardown.mjs',
  modulePathIgnorePatterns: ['<rootDir>/data/', '<rootDir>/dist/'],
});

/** The dashboard's components, in a browser made of jsdom. */
const dashboard = {
  ...project('dashboard', 'services/dashboard/src/**/*.test.tsx'),
  testEnvironment: '<rootDir>/services/dashboard/test/browser.mjs',
  testEnvironmentOptions: { url: 'https://waypost.example/' },
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  transform: { '\\.tsx?$': '<rootDir>/scripts/jest-tsx.mjs' },
  globalSetup: undefined,
  globalTeardown: undefined,
};

/** The time limit is for all projects: jest heeds none of a project's own. */
export default {
  testTimeout: 60_000,
  projects: [
    // What `npm test` runs: embedded engines, nothing but npm packages.
    project('embedded', 'libs/**/*.test.ts', 'services/**/*.test.ts'),
    dashboard,
    // The next three are run by `.ci/run`, with time limits of their own.
    // Starts and stops Waypost many times: backups, restores, commands, moving here from another service.
    project('long', 'services/all-in-one/test/**/*.long.ts'),
    // Needs Kafka (Java, Maven) or redis-server, which a user's machine may lack.
    project('stack', '**/test/**/*.stack.ts'),
    // Real processes, killed and starved.
    project('faults', 'services/**/test/faults/*.fault.ts'),
  ],
};
