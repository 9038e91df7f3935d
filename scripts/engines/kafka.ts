/**
 * Runs Apache Kafka from Maven Central: brokers that are their own controllers, one or three. The jars are fetched once
 * (deploy/kafka/pom.xml pins them) and cached. An archive of loaded classes is cached, too, and halves the start time.
 */
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ConnectionOptions, connectKafka } from '../../libs/adapter-kafka/src/kafkajs.ts';
import { type Engine, findProgram, freePort, startEngine, startProgram } from './engine.ts';

const DEPLOY = fileURLToPath(new URL('../../deploy/kafka/', import.meta.url));
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/waypost-kafka/', import.meta.url));
const FETCH_TIMEOUT_MS = 300_000;
const READY_WITHIN_MS = 60_000;
/** An id is 16 bytes in URL-safe base64. */
const CLUSTER_ID = 'd2F5cG9zdC1zdGFjay0wMQ';

export interface KafkaOptions {
  /** The folder of the broker's data and its log. */
  readonly dir: string;
  /** If absent, a free port is used. */
  readonly port?: number;
  /** If absent, a free port is used. */
  readonly controllerPort?: number;
  /** The folder for the jars. The default is in `node_modules/.cache`. */
  readonly cacheDir?: string;
  /** Settings that extend or override deploy/kafka/server.properties. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /**
   * Passwords by user name. The first user has all rights; the others need grants. If absent, the broker requires no
   * authentication.
   */
  readonly users?: Readonly<Record<string, string>>;
  /** If true, clients can authenticate with SCRAM-SHA-512 or SCRAM-SHA-256. By default they can only use PLAIN. */
  readonly scram?: boolean;
  /** PEM files: `keyAndCert` has a key and a certificate for `localhost`, `ca` the authority of clients. */
  readonly tls?: { readonly keyAndCert: string; readonly ca: string };
  /** The number of a broker of a cluster, from 1, and the port of each controller, in the order of their numbers. */
  readonly member?: { readonly id: number; readonly controllerPorts: readonly number[] };
}

/** Starts three brokers that are controllers, too (deploy/kafka/cluster.properties). */
export async function startKafkaCluster({
  dir,
  ...options
}: Pick<KafkaOptions, 'dir' | 'cacheDir' | 'settings' | 'users'>): Promise<readonly Engine[]> {
  const controllerPorts = await Promise.all([1, 2, 3].map(freePort));
  return Promise.all(
    controllerPorts.map((controllerPort, i) =>
      startKafka({
        ...options,
        dir: path.join(dir, String(i + 1)),
        controllerPort,
        member: { id: i + 1, controllerPorts },
      }),
    ),
  );
}

export async function startKafka({
  dir,
  cacheDir = CACHE,
  settings = {},
  users,
  scram = false,
  tls,
  member,
  ...ports
}: KafkaOptions): Promise<Engine> {
  const java = findJava();
  const libs = fetchKafka(cacheDir);
  const port = ports.port ?? (await freePort());
  const controllerPort = ports.controllerPort ?? (await freePort());
  const dataDir = path.resolve(dir, 'data');
  fs.mkdirSync(dataDir, { recursive: true });
  const properties = path.resolve(dir, 'server.properties');
  const name = member === undefined ? 'Kafka' : `Kafka ${member.id}`;
  const all = {
    ...(member === undefined ? {} : asMember(member)),
    ...(users === undefined ? {} : withUsers(users, scram)),
    ...(tls === undefined ? {} : withTls(tls, port, users !== undefined)),
    ...settings,
  };
  fs.writeFileSync(properties, serverProperties(dataDir, port, controllerPort, all), { mode: 0o600 });
  const classPath = `${libs}/*`;
  if (!fs.existsSync(path.join(dataDir, 'meta.properties'))) {
    if (scram) format(java, classPath, properties, users);
    else copyFormatted(dataDir, `${libs}.formatted`, () => format(java, classPath, properties), member?.id);
  }

  const archive = path.join(cacheDir, `${archiveName(java)}.jsa`);
  const startBroker = (classData: string) =>
    startProgram({
      name,
      command: java,
      args: [
        '-Xms256m',
        '-Xmx256m',
        '-XX:+UseSerialGC',
        '-XX:TieredStopAtLevel=1',
        '-XX:MaxDirectMemorySize=256m',
        '-Djava.net.preferIPv4Stack=true',
        `-Dlog4j2.configurationFile=${DEPLOY}log4j2.properties`,
        classData,
        '-Xlog:cds=off',
        '-Xlog:cds+dynamic=off',
        '-cp',
        classPath,
        'kafka.Kafka',
        properties,
      ],
      logFile: path.resolve(dir, 'kafka.log'),
      isReady: () =>
        leads(
          {
            brokers: [`${tls === undefined ? '127.0.0.1' : 'localhost'}:${port}`],
            clientId: 'waypost-probe',
            ...(users === undefined ? {} : asAdministrator(users, scram)),
            ...(tls === undefined ? {} : { tls: { ca: fs.readFileSync(tls.ca, 'utf8') } }),
          },
          member?.id,
        ),
      readyWithinMs: READY_WITHIN_MS,
    });

  // Of a cluster, one broker alone would not become ready. Without the archive it only starts more slowly.
  if (member === undefined && !fs.existsSync(archive)) await makeArchive(archive, startBroker);
  return startEngine({
    name,
    port,
    start: () => startBroker(`-XX:SharedArchiveFile=${archive}`),
    stopWithinMs: 15_000,
  });
}

function asMember({ id, controllerPorts }: NonNullable<KafkaOptions['member']>): Record<string, string> {
  const lines = fs.readFileSync(path.join(DEPLOY, 'cluster.properties'), 'utf8').split('\n');
  const pairs = lines.filter((line) => /^\w/.test(line)).map((line) => line.split('=') as [string, string]);
  const voters = controllerPorts.map((port, i) => `${i + 1}@127.0.0.1:${port}`);
  return { ...Object.fromEntries(pairs), 'node.id': String(id), 'controller.quorum.voters': voters.join(',') };
}

/** The port of the controller must authenticate, too, because it accepts the same commands. */
function withUsers(users: Readonly<Record<string, string>>, scram: boolean): Record<string, string> {
  const [[administrator, password] = []] = Object.entries(users);
  const all = Object.entries(users).map(([user, secret]) => `user_${user}="${secret}"`);
  const plain = `org.apache.kafka.common.security.plain.PlainLoginModule required username="${administrator}" password="${password}" ${all.join(' ')};`;
  return {
    'listener.security.protocol.map': 'CLIENTS:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT',
    'sasl.enabled.mechanisms': 'PLAIN',
    'sasl.mechanism.inter.broker.protocol': 'PLAIN',
    'sasl.mechanism.controller.protocol': 'PLAIN',
    'listener.name.clients.plain.sasl.jaas.config': plain,
    ...(scram && {
      'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
      'listener.name.controller.sasl.enabled.mechanisms': 'PLAIN',
      'listener.name.clients.scram-sha-256.sasl.jaas.config': SCRAM_LOGIN,
      'listener.name.clients.scram-sha-512.sasl.jaas.config': SCRAM_LOGIN,
    }),
    'listener.name.controller.plain.sasl.jaas.config': plain,
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'super.users': `User:${administrator}`,
  };
}

const SCRAM_LOGIN = 'org.apache.kafka.common.security.scram.ScramLoginModule required;';

function withTls(
  { keyAndCert, ca }: { keyAndCert: string; ca: string },
  port: number,
  asks: boolean,
): Record<string, string> {
  return {
    'listener.security.protocol.map': asks
      ? 'CLIENTS:SASL_SSL,CONTROLLER:SASL_PLAINTEXT'
      : 'CLIENTS:SSL,CONTROLLER:PLAINTEXT',
    'advertised.listeners': `CLIENTS://localhost:${port}`,
    'listener.name.clients.ssl.keystore.type': 'PEM',
    'listener.name.clients.ssl.keystore.location': keyAndCert,
    // The broker connects to itself, so it must trust its own certificate.
    'listener.name.clients.ssl.truststore.type': 'PEM',
    'listener.name.clients.ssl.truststore.location': ca,
  };
}

function asAdministrator(users: Readonly<Record<string, string>>, scram: boolean) {
  const [[username = '', password = ''] = []] = Object.entries(users);
  return { sasl: { mechanism: scram ? ('scram-sha-512' as const) : ('plain' as const), username, password } };
}

/** Returns the folder of the jars when all of them are there. */
export function fetchKafka(cacheDir: string = CACHE): string {
  const pom = path.join(DEPLOY, 'pom.xml');
  const version = createHash('sha256').update(fs.readFileSync(pom)).digest('hex').slice(0, 12);
  const libs = path.join(cacheDir, `libs-${version}`);
  if (fs.existsSync(libs)) return libs;
  const mvn = findProgram('mvn');
  if (mvn === undefined) throw new Error('Maven is not installed: apt-get install maven');
  fs.mkdirSync(cacheDir, { recursive: true });
  // The folder gets its final name only when it is complete, so that an interrupted download starts again.
  const making = fs.mkdtempSync(path.join(cacheDir, 'fetching-'));
  const goal = 'dependency:copy-dependencies';
  const { status, stdout, stderr } = spawnSync(
    mvn,
    ['-B', '-q', '-f', pom, goal, '-DincludeScope=runtime', `-DoutputDirectory=${making}`],
    { timeout: FETCH_TIMEOUT_MS, encoding: 'utf8' },
  );
  if (status !== 0) {
    fs.rmSync(making, { recursive: true, force: true });
    throw new Error(`Kafka could not be fetched with Maven: ${`${stdout}${stderr}`.trim().slice(-2_000)}`);
  }
  keep(making, libs);
  return libs;
}

/** If another process was faster, this folder is removed. */
function keep(complete: string, name: string): void {
  if (fs.existsSync(name)) fs.rmSync(complete, { recursive: true, force: true });
  else fs.renameSync(complete, name);
}

function findJava(): string {
  const home = process.env.JAVA_HOME;
  const java = home === undefined ? findProgram('java') : path.join(home, 'bin', 'java');
  if (java === undefined) throw new Error('Java 17 or newer is not installed: apt-get install openjdk-17-jre-headless');
  return java;
}

function serverProperties(dataDir: string, port: number, controllerPort: number, overrides: object): string {
  const text = fs
    .readFileSync(path.join(DEPLOY, 'server.properties'), 'utf8')
    .replaceAll('19092', String(port))
    .replaceAll('19093', String(controllerPort))
    .replace('log.dirs=DIR', () => `log.dirs=${dataDir}`);
  // If two lines have the same name, Kafka uses the last one.
  return `${text}\n${Object.entries(overrides)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')}`;
}

function format(
  java: string,
  classPath: string,
  properties: string,
  scram: Readonly<Record<string, string>> = {},
): void {
  const args = ['-Xmx128m', '-XX:TieredStopAtLevel=1', `-Dlog4j2.configurationFile=${DEPLOY}log4j2.properties`];
  args.push('-cp', classPath, 'kafka.tools.StorageTool', 'format', '--ignore-formatted', '-t', CLUSTER_ID);
  for (const [name, password] of Object.entries(scram))
    for (const mechanism of ['SCRAM-SHA-256', 'SCRAM-SHA-512'])
      args.push('--add-scram', `${mechanism}=[name=${name},password=${password}]`);
  const { status, stdout, stderr } = spawnSync(java, [...args, '-c', properties], {
    timeout: 60_000,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`Kafka's folder could not be formatted: ${`${stdout}${stderr}`.trim()}`);
}

/** Formatting takes seconds. Without users the result differs only in ids, so it is done once and copied. */
function copyFormatted(dataDir: string, template: string, make: () => void, id = 1): void {
  if (!fs.existsSync(template)) {
    make();
    const making = fs.mkdtempSync(`${template}-`);
    fs.cpSync(dataDir, making, { recursive: true });
    keep(making, template);
  }
  fs.cpSync(template, dataDir, { recursive: true });
  const file = path.join(dataDir, 'meta.properties');
  const ids = `node.id=${id}\ndirectory.id=${randomBytes(16).toString('base64url')}\n`;
  const others = fs.readFileSync(file, 'utf8').replaceAll(/^(node|directory)\.id=.*\n/gm, '');
  fs.writeFileSync(file, others + ids);
}

/** An archive works only with one version of Java and one set of jars. */
function archiveName(java: string): string {
  const { stderr } = spawnSync(java, ['-version'], { encoding: 'utf8', timeout: 20_000 });
  const pom = fs.readFileSync(path.join(DEPLOY, 'pom.xml'), 'utf8');
  return `kafka-${createHash('sha256').update(stderr).update(pom).digest('hex').slice(0, 12)}`;
}

/**
 * Runs the broker once. When it stops, it writes the archive of its loaded classes. If that fails, the next start tries
 * again.
 */
async function makeArchive(archive: string, startBroker: (classData: string) => ReturnType<typeof startProgram>) {
  const making = `${archive}.${process.pid}`;
  const first = await startBroker(`-XX:ArchiveClassesAtExit=${making}`);
  first.end();
  const late = setTimeout(() => first.signal('SIGKILL'), 30_000);
  await first.exited;
  clearTimeout(late);
  if (fs.existsSync(making)) fs.renameSync(making, archive);
}

/**
 * Resolves to whether this broker takes part and every partition has a leader. Producers fail until then, which is
 * shortly after a start.
 */
async function leads(connection: ConnectionOptions, id = 1): Promise<boolean> {
  const admin = connectKafka(connection, { requestTimeoutMs: 2_000, retries: 0 }).admin();
  try {
    await admin.connect();
    const { brokers: alive, controller } = await admin.describeCluster();
    if (controller === null || controller < 0 || !alive.some(({ nodeId }) => nodeId === id)) return false;
    const { topics } = await admin.fetchTopicMetadata();
    return topics.every(({ partitions }) => partitions.every(({ leader }) => leader >= 0));
  } catch {
    return false;
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}
