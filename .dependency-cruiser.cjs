/** The dependency rule. Each entry's comment says what to do instead. */
const TEST = '\\.test\\.tsx?$|/test/|/contract/';
/** A slice of link-api: everything about one feature. Every folder but the platform is one. */
const SLICE = '^services/link-api/src/(?!platform/)([^/]+)/';
/** What the redirector decides about a visit. */
const VISITS = '^services/redirector/src/(links/|clicks/record-click)';
/** The ways into a slice. What has none of these names is a use case, a rule or a port. */
const WAY_IN = '\\.(endpoint|schema|http|consumer|job|command)\\.ts$|^services/link-api/src/tools/';
/** Says what a slice brings, and what others may use of it. */
const INDEX = '^services/link-api/src/[^/]+/index\\.ts$';
const OWN_ADAPTER = '\\.(adapter|sql)\\.ts$';
/** What makes the stores of link-api and of its slices. */
const WITH_STORES = '^services/link-api/src/(app|[^/]+/index)\\.ts$';

/** The rooms of a service, the lowest first. A room imports itself and rooms before it, so no two form a circle. */
const roomsOf = (service, rooms) => [
  {
    name: `${service}-has-these-rooms`,
    severity: 'error',
    comment: 'Add the new folder to the list of rooms, above what it imports.',
    from: {
      path: `^services/${service}/src/[^/]+/`,
      pathNot: [TEST, ...rooms.map((each) => `^services/${service}/src/${each}`)],
    },
    to: {},
  },
  ...rooms.map((room, i) => ({
    name: `${service}-imports-run-down`,
    severity: 'error',
    comment: 'Move what is needed here to a lower room, or pass it in from a higher one. A type counts too.',
    from: { path: `^services/${service}/src/${room}`, pathNot: TEST },
    to: {
      path: `^services/${service}/src/`,
      pathNot: rooms.slice(0, i + 1).map((each) => `^services/${service}/src/${each}`),
    },
  })),
];

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
      from: { path: '^libs/(adapter-[^/]+|postgres)/', pathNot: TEST },
      to: { path: '^libs/(adapter-|postgres/)', pathNot: '^libs/$1/' },
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
      from: { path: [SLICE, VISITS], pathNot: [WAY_IN, OWN_ADAPTER, INDEX, TEST] },
      to: {
        path: [
          WAY_IN,
          OWN_ADAPTER,
          '^services/link-api/src/(tools|platform/(http|openapi))/',
          '^services/redirector/src/(listener|pages|threads)/',
          'node_modules',
          '^libs/(?!domain/|ports/|resilience/|settings/|telemetry/|typed-bus/)',
        ],
      },
    },
    {
      name: 'adapters-do-not-serve',
      severity: 'error',
      comment: 'What listens and runs a process is libs/process: adapters and use cases reach no Express.',
      from: { path: '^libs/(?!process/)[^/]+/src', pathNot: TEST },
      to: { path: ['/express/', '^libs/process/'], reachable: true },
    },
    {
      name: 'own-adapters-do-not-serve',
      severity: 'error',
      comment:
        'An adapter answers a port of its slice; what is HTTP or a job about the slice is in files of their own.',
      from: { path: OWN_ADAPTER, pathNot: TEST },
      to: {
        path: [
          '/express/',
          '^libs/process/',
          '\\.(endpoint|http|consumer|job|command)\\.ts$',
          '^services/link-api/src/(tools|platform/(http|openapi))/',
        ],
      },
    },
    {
      name: 'endpoints-only-declare',
      severity: 'error',
      comment:
        'An endpoint declares what it is, and calls a use case or a port; what is HTTP about it is in platform/http.',
      from: { path: '\\.(endpoint|schema)\\.ts$', pathNot: TEST },
      to: {
        path: [
          '\\.(http|consumer|job)\\.ts$',
          OWN_ADAPTER,
          '^services/link-api/src/(tools|platform/(http|openapi))/',
          '/express/',
          '^libs/(?!domain/|ports/)',
        ],
      },
    },
    {
      name: 'enter-a-slice-by-its-index',
      severity: 'error',
      comment: 'What others may use of a slice, also of its SQL and its schemas, is in its index.ts.',
      from: {
        path: [SLICE, '^services/link-api/src/[^/]+\\.ts$'],
        pathNot: ['/(config|operator-commands)\\.ts$', TEST],
      },
      to: { path: SLICE, pathNot: ['^services/link-api/src/$1/', '/index\\.ts$'] },
    },
    {
      name: 'platform-knows-no-slice',
      severity: 'error',
      comment: 'The platform serves any feature: a slice hands it what it needs (platform/slice.ts).',
      from: { path: '^services/link-api/src/platform/', pathNot: TEST },
      to: { path: '^services/link-api/src/', pathNot: '^services/link-api/src/platform/' },
    },
    {
      name: 'own-adapters-are-built-in-main',
      severity: 'error',
      comment: 'The index of a slice names its adapters; app.ts and main.ts build them, and hand out ports.',
      from: { path: '^services/link-api/src/', pathNot: ['/src/(main|app|[^/]+/index)\\.ts$', '\\.sql\\.ts$', TEST] },
      to: { path: OWN_ADAPTER },
    },
    {
      name: 'scanner-judges-by-its-arguments',
      severity: 'error',
      comment: 'A verdict comes from the URL, the policy, the rules and the index. Pass in whatever else decides it.',
      from: { path: '^services/scanner/src/judge/', pathNot: TEST },
      to: {
        path: '^(services|libs)/',
        pathNot: '^services/scanner/src/(judge/|(data|checked-file)\\.ts)|^libs/(domain|ports)/',
      },
    },
    {
      name: 'scanner-store-is-built-in-main',
      severity: 'error',
      comment:
        'A use case takes its ports as deps; main.ts builds their adapters, and index.ts names them for the one process.',
      from: { path: '^services/scanner/', pathNot: ['^services/scanner/src/(main|index)\\.ts$', TEST] },
      to: { path: OWN_ADAPTER },
    },
    {
      name: 'only-main-picks-adapters',
      severity: 'error',
      comment:
        'Only main.ts, engines.ts and the module of a thread may import an adapter, and config.ts, for how its address is read (and tests). What reads tables of a service (its store) uses libs/postgres.',
      from: {
        path: '^services/',
        pathNot: [
          '/src/(main|engines|adapters|visitor-thread|config)\\.ts$',
          '\\.sql\\.ts$',
          '^services/[^/]+/migrations/',
          WITH_STORES,
          TEST,
        ],
      },
      to: { path: '^libs/(adapter-|postgres/)' },
    },
    {
      name: 'slices-only-name-the-database',
      severity: 'error',
      comment:
        'app.ts and the index.ts of a slice hand the database to the stores. They need its type, and nothing else.',
      from: { path: WITH_STORES },
      to: { path: '^libs/(adapter-|postgres/)', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'services-meet-on-the-bus',
      severity: 'error',
      comment:
        "Services share events, not code; only all-in-one wires several, by their index.ts. The command line is a client of the API, which link-api's image has for operators.",
      from: { path: '^services/([^/]+)/', pathNot: '^services/all-in-one/' },
      to: {
        path: '^services/',
        pathNot: ['^services/$1/', '^services/cli/src/operator\\.ts$', '^services/[^/]+/migrations/index\\.ts$'],
      },
    },
    {
      name: 'tables-have-one-owner',
      severity: 'error',
      comment:
        'Only prepare and the one process make tables of others. The redirector reads links by the reader of their owner.',
      from: {
        path: '^services/([^/]+)/',
        pathNot: ['^services/(prepare|all-in-one)/', '^services/redirector/src/visitor-thread\\.ts$', TEST],
      },
      to: { path: '^services/[^/]+/migrations/', pathNot: '^services/$1/' },
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
      comment:
        'What all-in-one needs of a service is exported by its index.ts, or is among its adapters, its settings or its table of operator commands.',
      from: { path: '^services/all-in-one/', pathNot: TEST },
      to: {
        path: '^services/(?!all-in-one)[^/]+/(?!(src/(index|adapters|operator|operator-commands|.*settings)|migrations/index)\\.ts$)',
      },
    },
    {
      name: 'what-is-published-stands-alone',
      severity: 'error',
      comment: 'The SDK runs wherever there is fetch; the command line is made of the SDK.',
      from: { path: ['^libs/sdk/src', '^services/cli/src'], pathNot: TEST },
      to: { path: '^(libs|services)/', pathNot: '^libs/(sdk|command-line|links-file|qr-code)/src|^services/cli/src' },
    },
    ...roomsOf('scanner', [
      '(data|checked-file|packed-keys|pauses)\\.ts$',
      'judge/urls/',
      'judge/rules/',
      'judge/lexical/',
      'judge/',
      'threats/feeds/',
      'threats/',
      'recheck/providers/',
      'recheck/',
      '(http/|scan-urls\\.ts|status\\.ts|metrics\\.ts)',
      '(app|config|operator-commands)\\.ts$',
    ]),
    ...roomsOf('redirector', [
      'clicks/log/',
      'clicks/',
      'links/',
      'pages/',
      'listener/',
      'threads/',
      '(status|app|config)\\.ts$',
    ]),
    ...roomsOf('all-in-one', [
      '(data-dir|connections|config|folder-version|visitor-thread)\\.ts$',
      'engines\\.ts$',
      '(backup|restore|scheduled-backups|folder-commands|expire-visitor-secret|rotate-visitor-secret)\\.ts$',
      '(redirector|scanner)\\.ts$',
      'services\\.ts$',
      'listeners\\.ts$',
      'app\\.ts$',
    ]),
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
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
