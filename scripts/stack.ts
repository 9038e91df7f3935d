/**
 * Runs every engine and service as a separate process on loopback, from packages alone: `npm run stack`. A supervisor
 * restarts every process that ends. The redirectors share one port behind HAProxy.
 *
 *   npm run stack -- [--redirectors N] [--data DIR] [--cluster] [--json]
 *
 * With --cluster, Kafka has three brokers, Redis six nodes and PostgreSQL a synchronous standby.
 *
 * Three variables are for tests alone (services/all-in-one/test/faults/stack). In the folder STACK_TEST_DIR, each
 * process writes its id to `NAME.pid`. While `NAME.hold` exists, it is not restarted. STACK_TEST_LINKS lists
 * `ENGINE:ENGINE_PORT:PROXY_PORT` or `SERVICE/ENGINE:…`, separated by commas. The engine (postgres, redis, kafka,
 * clickhouse, scanner) listens on the first port; services connect to the second. STACK_TEST_STANDBY is the port of a
 * further PostgreSQL, which the test starts.
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { loadSecrets, lockFolder } from '../libs/adapter-embedded/src/data-folder.ts';
import { addressesOf, socketPathIn, stopOnSignal } from '../libs/process/src/index.ts';
import { ConfigError } from '../libs/settings/src/index.ts';
import { type Config, readConfig } from '../services/all-in-one/src/config.ts';
import { type Engine, findProgram, freePort, startEngine, startProgram } from './engines/engine.ts';
import {
  makeRoles,
  passwords,
  startClickHouseFront,
  startKafka,
  startKafkaCluster,
  startPostgresServer,
  startRedis,
  startRedisCluster,
} from './engines/index.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const NODE = path.join(ROOT, 'scripts/node.sh');
const RESTART_AFTER_MS = 300;
/**
 * docs/operator-interface.md promises 10 s in all. A process that hangs is killed earlier, so that the next ones have
 * time.
 */
const STOP_WITHIN_MS = 9_700;
const STOPPED_BY_MS = { balancer: 2_000, services: 7_000, engines: 9_300 };

interface Options {
  readonly redirectors: number;
  readonly dir: string;
  readonly cluster: boolean;
  readonly json: boolean;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      redirectors: { type: 'string', default: '2' },
      data: { type: 'string', default: 'data-stack' },
      cluster: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const redirectors = /^[1-9]\d?$/.test(values.redirectors) ? Number(values.redirectors) : 0;
  if (redirectors === 0) throw new ConfigError('--redirectors must be a number from 1 to 99');
  const { cluster, json } = values;
  return { redirectors, dir: path.resolve(values.data), cluster, json };
}

interface Process {
  readonly name: string;
  readonly engine: Engine;
  readonly url: string;
  /** The address of /healthz and /metrics. */
  readonly internal: string;
}

/** The user name of each process at the engines. `prepare` is the administrator of Kafka. */
const USERS = {
  prepare: 'waypost_owner',
  'link-api': 'waypost_api',
  redirector: 'waypost_redirector',
  scanner: 'waypost_scanner',
  'analytics-ingest': 'waypost_ingest',
} as const;

const mainOf = (service: keyof typeof USERS) => fileURLToPath(import.meta.resolve(`@waypost/${service}/main`));

const stack = new AsyncDisposableStack();
const stopping = new AbortController();
let stopBegan = 0;

type LinkTarget = 'postgres' | 'redis' | 'kafka' | 'clickhouse' | 'scanner';
/**
 * The entries of STACK_TEST_LINKS. Clients of Kafka connect to the address that the broker advertises, so all share one
 * proxy.
 */
const testLinks = (process.env.STACK_TEST_LINKS ?? '')
  .split(',')
  .filter((entry) => entry !== '')
  .map((entry) => {
    const [name = '', enginePort, proxyPort] = entry.split(':');
    const [target, service] = name.split('/').reverse();
    return { target, service, enginePort: Number(enginePort), proxyPort: Number(proxyPort) };
  });
function enginePort(target: LinkTarget): { port?: number } {
  const link = testLinks.find((one) => one.target === target);
  return link === undefined ? {} : { port: link.enginePort };
}
const proxyPort = (target: LinkTarget, service?: string) =>
  testLinks.find((link) => link.target === target && (link.service === undefined || link.service === service))
    ?.proxyPort;

const testDir = process.env.STACK_TEST_DIR;
const testFile = (engine: Engine, ending: string) =>
  path.join(testDir!, `${engine.name.replaceAll(' ', '-')}.${ending}`);
function tellPid(engine: Engine): void {
  if (testDir !== undefined) fs.writeFileSync(testFile(engine, 'pid'), String(engine.pid));
}
const isHeld = (engine: Engine) => testDir !== undefined && fs.existsSync(testFile(engine, 'hold'));

function supervise(engine: Engine): void {
  tellPid(engine);
  void (async () => {
    for (;;) {
      await engine.exited;
      if (stopping.signal.aborted) return;
      process.stderr.write(`${engine.name} stopped unexpectedly; restarting it\n`);
      do await new Promise((resolve) => setTimeout(resolve, RESTART_AFTER_MS));
      while (isHeld(engine) && !stopping.signal.aborted);
      if (stopping.signal.aborted) return;
      await engine.restart().then(
        () => tellPid(engine),
        (error: Error) => process.stderr.write(`${engine.name}: ${error.message}\n`),
      );
    }
  })();
}

/** Does not wait for a process that is still starting: that process ends together with this one. */
async function stop(): Promise<void> {
  stopBegan = performance.now();
  stopping.abort();
  await stack.disposeAsync();
}

async function start(options: Options, config: Config): Promise<void> {
  const { dir, cluster } = options;
  const lock = lockFolder(dir);
  if (lock === undefined) throw new ConfigError(`The data folder ${dir} is in use by another stack.`);
  stack.defer(() => lock.release());
  const [kafkaFolder, other] = cluster ? ['kafka-cluster', 'kafka'] : ['kafka', 'kafka-cluster'];
  if (fs.existsSync(path.join(dir, other)))
    throw new ConfigError(`${dir} was created ${cluster ? 'without' : 'with'} --cluster. Use another folder: --data`);
  const haproxy = findProgram('haproxy');
  if (haproxy === undefined)
    throw new ConfigError('The stack needs HAProxy, the redirectors share a port behind it: apt-get install haproxy');
  const { current, previous } = loadSecrets(dir).visitor;
  const passwordOf = passwords(dir);
  const at = (port: number) => `http://127.0.0.1:${port}`;
  const inDir = (name: string) => path.join(dir, name);
  // The balancer stops first, then the services, then the engines. Processes of the same kind stop together.
  const group = (kind: keyof typeof STOPPED_BY_MS) => {
    const members: Engine[] = [];
    stack.defer(async () => {
      const leftMs = stopBegan + STOPPED_BY_MS[kind] - performance.now();
      await Promise.all(members.map((engine) => engine.stop(leftMs)));
    });
    return (engine: Engine) => {
      members.push(engine);
      supervise(engine);
      return engine;
    };
  };
  const asEngine = group('engines');
  const asService = group('services');

  const ofKafka = {
    dir: inDir(kafkaFolder),
    users: Object.fromEntries(Object.values(USERS).map((user) => [user, passwordOf(user)])),
  };
  const password = passwordOf('redis');
  const [[postgres, standby], redis, kafka, clickhouse] = await Promise.all([
    startPostgresServer({ dir: inDir('postgres'), ...enginePort('postgres'), closed: true }).then(async (primary) => {
      asEngine(primary);
      if (!cluster) return [primary] as const;
      const follower = await startPostgresServer({ dir: inDir('postgres-standby'), standbyOf: primary });
      return [primary, asEngine(named('PostgreSQL standby', follower))] as const;
    }),
    (cluster
      ? startRedisCluster({ dir: emptied(inDir('redis-cluster')), password }).then(({ nodes }) => nodes)
      : startRedis({ dir: inDir('redis'), ...enginePort('redis'), password }).then((server) => [server])
    ).then((nodes) => nodes.map((node, i) => asEngine(cluster ? named(`Redis ${i + 1}`, node) : node))),
    (cluster
      ? startKafkaCluster(ofKafka)
      : startKafka({ ...ofKafka, ...enginePort('kafka'), settings: advertised() }).then((broker) => [broker])
    ).then((brokers) => brokers.map(asEngine)),
    startClickHouseFront({
      dir: inDir('clickhouse'),
      ...enginePort('clickhouse'),
      users: {
        waypost_owner: { password: passwordOf('waypost_owner'), may: 'all' },
        waypost_api: { password: passwordOf('waypost_api'), may: 'purge' },
        waypost_ingest: { password: passwordOf('waypost_ingest'), may: 'insert' },
      },
    }).then(asEngine),
  ]);
  const engines = [postgres, ...(standby === undefined ? [] : [standby]), ...redis, ...kafka, clickhouse];
  const standbyPort = standby?.port ?? process.env.STACK_TEST_STANDBY;
  const database =
    standbyPort === undefined ? '/waypost' : `,127.0.0.1:${standbyPort}/waypost?target_session_attrs=read-write`;

  const environment: NodeJS.ProcessEnv = {
    ...process.env,
    HOST: '127.0.0.1',
    BASE_URL: config.baseUrl,
    REDIRECT_BASE_URL: config.redirectBaseUrl,
    CONTACT: `http://localhost:${config.port}`,
    REPORT_BASE_URL: config.baseUrl,
    VISITOR_SECRET: [current, ...(previous === undefined ? [] : [previous])]
      .map((secret) => Buffer.from(secret).toString('hex'))
      .join(','),
    // HAProxy adds the visitor's address, and decides itself which headers to trust.
    TRUSTED_PROXIES: ['127.0.0.1/32', ...trustedProxies()].join(','),
  };
  /** Each process has its own users, with only the rights that it needs. */
  function enginesFor(service: keyof typeof USERS, proxied = true): NodeJS.ProcessEnv {
    const user = USERS[service];
    const login = `${user}:${passwordOf(user)}`;
    const at = (engine: LinkTarget, port: number) =>
      `127.0.0.1:${(proxied ? proxyPort(engine, service) : undefined) ?? port}`;
    return {
      DATABASE_URL: `postgres://${login}@${at('postgres', postgres.port)}${database}`,
      REDIS_URL: `redis://:${password}@${cluster ? hostsOf(redis) : at('redis', redis[0]!.port)}`,
      KAFKA_BROKERS: cluster ? hostsOf(kafka) : at('kafka', kafka[0]!.port),
      KAFKA_SASL_MECHANISM: 'PLAIN',
      KAFKA_SASL_USERNAME: user,
      KAFKA_SASL_PASSWORD: passwordOf(user),
      KAFKA_ACLS: 'services',
      CLICKHOUSE_URL: `http://${login}@${at('clickhouse', clickhouse.port)}/waypost`,
      SCANNER_URL: `http://${at('scanner', config.internalPort)}`,
    };
  }
  await makeRoles(postgres, passwordOf);
  await prepare({ ...environment, ...enginesFor('prepare') });

  const service = async (
    name: string,
    folder: Exclude<keyof typeof USERS, 'prepare'>,
    port: number,
    extra: NodeJS.ProcessEnv,
  ): Promise<Process> => {
    const env = { ...environment, ...enginesFor(folder), ...extra, PORT: String(port) };
    const engine = await startEngine({
      name,
      port,
      start: () =>
        startProgram({
          name,
          command: NODE,
          args: [mainOf(folder)],
          env,
          logFile: inDir(`${name}.log`),
          isReady: async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok,
          readyWithinMs: 60_000,
        }),
    });
    asService(engine);
    return { name, engine, url: at(port), internal: at(Number(extra.INTERNAL_PORT ?? port)) };
  };

  const operator = { 'link-api': socketPathIn(dir, 'link-api.sock'), scanner: socketPathIn(dir, 'scanner.sock') };
  for (const folder of Object.values(operator).map((socket) => path.dirname(socket)))
    if (folder !== dir) stack.defer(() => fs.rmSync(folder, { recursive: true, force: true }));
  const apiInternal = await freePort();
  // The processes start together. Each begins its work when the others respond.
  const [scanner, linkApi, ingest, redirectors] = await Promise.all([
    service('scanner', 'scanner', config.internalPort, {
      DATA_DIR: inDir('threats'),
      OPERATOR_SOCKET: operator.scanner,
    }),
    service('link-api', 'link-api', config.port, {
      HOST: config.host,
      INTERNAL_PORT: String(apiInternal),
      OPERATOR_SOCKET: operator['link-api'],
    }),
    freePort().then((port) => service('analytics-ingest', 'analytics-ingest', port, {})),
    Promise.all(
      Array.from({ length: options.redirectors }, async (_, i) => {
        const [port, internal] = [await freePort(), await freePort()];
        const name = `redirector-${i + 1}`;
        return service(name, 'redirector', port, { INTERNAL_PORT: String(internal), CLICK_LOG_DIR: inDir(name) });
      }),
    ),
  ]);
  const balancer = await balance(
    haproxy,
    dir,
    config,
    redirectors.map(({ url }) => new URL(url).host),
  );
  group('balancer')(balancer);

  const services = [
    linkApi,
    scanner,
    ingest,
    ...redirectors,
    { name: 'haproxy', engine: balancer, url: at(config.redirectPort), internal: at(config.redirectPort) },
  ];
  const internal = Object.fromEntries(services.map((one) => [one.name, one.internal]));
  /** Tests use these addresses to reach the engines without the proxies of STACK_TEST_LINKS. */
  const access = Object.fromEntries(
    Object.keys(USERS).map((name) => [name, enginesFor(name as keyof typeof USERS, false)]),
  );
  fs.writeFileSync(inDir('stack.json'), `${JSON.stringify({ operator, internal, access }, null, 2)}\n`, {
    mode: 0o600,
  });
  stack.defer(() => fs.rmSync(inDir('stack.json'), { force: true }));
  process.stderr.write(
    `This stack is for a look and for tests: one machine, loopback, no TLS, ${cluster ? 'ClickHouse once' : 'nothing twice'}. For visitors of your own: deploy/README.md.\n`,
  );
  if (options.json) {
    const summary = {
      api: at(config.port),
      redirect: at(config.redirectPort),
      internal: at(config.internalPort),
      redirectors: redirectors.map(({ url }) => url),
      services: services.map(({ name, engine, url }) => ({ name, pid: engine.pid, url })),
      engines: engines.map(({ name, pid, port }) => ({ name, pid, port })),
    };
    process.stdout.write(`${JSON.stringify(summary)}\n`);
    return;
  }
  for (const { name, engine, url } of services)
    process.stdout.write(`${name.padEnd(18)} ${url}  (process ${engine.pid})\n`);
  for (const { name, pid, port } of engines)
    process.stdout.write(`${name.padEnd(18)} 127.0.0.1:${port}  (process ${pid})\n`);
  process.stdout.write(`Operator commands: WAYPOST_STACK=${dir} npm run -s waypost -- admin …\nReady\n`);
}

const named = (name: string, engine: Engine): Engine => Object.create(engine, { name: { value: name } });

/** Redis keeps nothing, but its nodes remember each other by ports that have changed. */
function emptied(dir: string): string {
  fs.rmSync(dir, { recursive: true, force: true });
  return dir;
}

const hostsOf = (engines: readonly Engine[]) => engines.map(({ port }) => `127.0.0.1:${port}`).join(',');

function advertised(): Record<string, string> {
  const port = proxyPort('kafka');
  return port === undefined ? {} : { 'advertised.listeners': `CLIENTS://127.0.0.1:${port}` };
}

/** Creates topics and schemas, because services never create topics. */
async function prepare(environment: NodeJS.ProcessEnv): Promise<void> {
  await promisify(execFile)(NODE, [mainOf('prepare')], {
    env: environment,
    timeout: 120_000,
    signal: stopping.signal,
  });
}

/** Returns the operator's trusted proxies, which stand in front of the balancer. `readConfig` has validated them. */
function trustedProxies(): string[] {
  const text = process.env.TRUSTED_PROXIES ?? 'none';
  return text === 'none' ? [] : text.split(',').map((entry) => entry.trim());
}

/**
 * Starts HAProxy with our own configuration file, because deployments use it, too. Unlike Node's `cluster`, it checks
 * the health of redirectors and uses another when one refuses a connection.
 */
function balance(haproxy: string, dir: string, config: Config, redirectors: readonly string[]): Promise<Engine> {
  const { host, redirectPort: port } = config;
  const servers = path.join(dir, 'haproxy-servers.cfg');
  const lines = redirectors.map((redirector, i) => `  server redirector-${i + 1} ${redirector}`);
  fs.writeFileSync(servers, `backend redirectors\n${lines.join('\n')}\n`);
  const addresses = addressesOf(host).map((address) => (address.includes(':') ? `[${address}]` : address));
  const bind = addresses.map((address) => `${address}:${port}`).join(',');
  return startEngine({
    name: 'haproxy',
    port,
    start: () =>
      startProgram({
        name: 'haproxy',
        command: haproxy,
        args: ['-db', '-f', path.join(ROOT, 'deploy/haproxy/haproxy.cfg'), '-f', servers],
        env: { ...process.env, WAYPOST_BIND: bind, WAYPOST_PROXIES: trustedProxies().join(' ') },
        logFile: path.join(dir, 'haproxy.log'),
        isReady: async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok,
        readyWithinMs: 20_000,
      }),
  });
}

try {
  const options = readOptions();
  const config = readConfig(process.env);
  stopOnSignal(
    stop,
    (error) => process.stderr.write(`the stack did not stop cleanly: ${(error as Error).message}\n`),
    STOP_WITHIN_MS,
  );
  await start(options, config);
} catch (error) {
  // A signal during the start makes it fail; then only the stop must finish.
  if (!stopping.signal.aborted) {
    process.stderr.write(
      `${error instanceof ConfigError ? error.message : `The stack could not start: ${(error as Error).stack}`}\n`,
    );
    await stop().catch(() => undefined);
    process.exit(1);
  }
}
