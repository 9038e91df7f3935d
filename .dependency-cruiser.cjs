/** The dependency rule. Each entry's comment says what to do instead. */
const TEST = '\\.test\\.ts$|/test/|/contract/';

module.exports = {
  forbidden: [
    {
      name: 'domain-is-pure',
      severity: 'error',
      comment:
        'libs/domain imports only itself, and pure functions of Node: pass time, randomness and data in as arguments.',
      from: { path: '^libs/domain/src', pathNot: TEST },
      to: { pathNot: ['^libs/domain/src', '^(node:)?(net|url|zlib)$'] },
    },
    {
      name: 'ports-know-only-domain',
      severity: 'error',
      comment: 'A port speaks in domain types; the technology belongs to an adapter.',
      from: { path: '^libs/ports/src', pathNot: TEST },
      to: { pathNot: '^libs/(domain|ports)/src' },
    },
    {
      name: 'adapters-do-not-meet',
      severity: 'error',
      comment: 'Adapters share ports, never each other; combine them in a main.ts.',
      from: { path: '^libs/(adapter-[^/]+)/', pathNot: TEST },
      to: { path: '^libs/adapter-', pathNot: '^libs/$1/' },
    },
    {
      name: 'libs-know-no-service',
      severity: 'error',
      comment: 'A test that needs a service lives with the service.',
      from: { path: '^libs/' },
      to: { path: '^services/' },
    },
    {
      name: 'use-cases-see-no-technology',
      severity: 'error',
      comment:
        'A use case takes its ports as deps, and knows no way in. Node itself (crypto, zlib) is nothing to swap.',
      from: { path: '^services/[^/]+/src/use-cases/', pathNot: TEST },
      to: {
        path: [
          '^services/[^/]+/src/(endpoints|http|consumers|jobs)/',
          'node_modules',
          '^libs/(?!domain/|ports/|resilience/|telemetry/|typed-bus/)',
        ],
      },
    },
    {
      name: 'adapters-do-not-serve',
      severity: 'error',
      comment: 'What listens and runs a process is libs/process: adapters and use cases reach no Express.',
      from: { path: ['^libs/(?!process/)[^/]+/src', '^services/[^/]+/src/use-cases/'], pathNot: TEST },
      to: { path: ['/express/', '^libs/process/'], reachable: true },
    },
    {
      name: 'endpoints-only-declare',
      severity: 'error',
      comment: 'An endpoint declares what it is, and calls a use case or a port; what is HTTP about it is in src/http.',
      from: { path: '^services/[^/]+/src/endpoints/', pathNot: TEST },
      to: { path: ['^services/[^/]+/src/(http|consumers|jobs)/', '/express/', '^libs/(?!domain/|ports/)'] },
    },
    {
      name: 'only-main-picks-adapters',
      severity: 'error',
      comment:
        'Only main.ts, engines.ts and the module of a thread may import an adapter, and config.ts, for how its address is read (and tests).',
      from: { path: '^services/', pathNot: ['/src/(main|engines|visitor-thread|config)\\.ts$', TEST] },
      to: { path: '^libs/adapter-' },
    },
    {
      name: 'services-meet-on-the-bus',
      severity: 'error',
      comment: 'Services share events, not code; only all-in-one wires several, by their index.ts.',
      from: { path: '^services/([^/]+)/', pathNot: '^services/all-in-one/' },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'moving-is-loaded-by-its-command',
      severity: 'error',
      comment: 'Import it when its command runs: no process needs the readers of exports at its start.',
      from: { path: '^services/', pathNot: TEST },
      to: { path: '^libs/moving/src', pathNot: '/names\\.ts$', dynamic: false, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'enter-a-service-by-its-index',
      severity: 'error',
      comment: 'What all-in-one needs of a service is exported by its index.ts, or is its table of operator commands.',
      from: { path: '^services/all-in-one/' },
      to: { path: '^services/(?!all-in-one)[^/]+/(?!src/(index|operator-commands)\\.ts$)' },
    },
    {
      name: 'what-is-published-stands-alone',
      severity: 'error',
      comment: 'The SDK runs wherever there is fetch; the command line is made of the SDK.',
      from: { path: ['^libs/sdk/src', '^services/cli/src'], pathNot: TEST },
      to: { path: '^(libs|services)/', pathNot: '^libs/(sdk|command-line|links-file)/src|^services/cli/src' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'not-to-test',
      severity: 'error',
      from: { pathNot: [TEST, '^libs/(contracts|test-support)/'] },
      to: { path: '\\.test\\.ts$|/test/|^libs/(contracts|test-support)/' },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // What the build of the dashboard made is not source.
    exclude: { path: 'node_modules|^services/dashboard/dist' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      mainFields: ['main', 'types'],
    },
  },
};
