import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { inProcessBus } from '@waypost/adapter-embedded';
import { NO_ALLOWED_HOSTS } from '@waypost/domain';
import { createRedirector, type RedirectorDeps, redirectorMetrics } from '@waypost/redirector';
import { createScanner, providersFrom, registrableDomain, type ScannerDeps } from '@waypost/scanner';
import { createLogger, createMetrics } from '@waypost/telemetry';
import { afterwards, newFolder } from '@waypost/test-support/afterwards';
import { VISITOR_SETTINGS } from '@waypost/test-support/visitor-settings';
import { times, visit } from '../support.ts';
import { freePorts } from '../waypost-process.ts';
import { scrape } from './alerts-under-test.ts';

export const logger = Object.assign(createLogger('alerts', 'error'), { silent: true });

export const refusing = { publishEncoded: () => Promise.reject(new Error('the bus is away')) };
const accepting = { publishEncoded: async () => undefined };

export async function startRedirector(more: Partial<RedirectorDeps<{ readonly hangMs: number }>> = {}) {
  const [port] = await freePorts(1);
  const redirector = createRedirector({
    threads: 1,
    threadModule: new URL('../../../redirector/test/visitor-thread.ts', import.meta.url),
    threadDependencies: [],
    own: { hangMs: 2_500 },
    host: '127.0.0.1',
    port: port!,
    bus: accepting,
    ...VISITOR_SETTINGS,
    clickLogDir: newFolder(),
    clickLogMaxBytes: 64 * 1024,
    logger,
    logLevel: 'error',
    now: Date.now,
    ...more,
  });
  const metrics = createMetrics();
  redirectorMetrics(metrics, redirector);
  await redirector.start();
  const stop = () => redirector.stop();
  afterwards(stop);
  const click = (count: number) => Promise.all(times(count, () => visit(`http://127.0.0.1:${port}`, '/abcDEF1')));
  return { metrics, click, stop, hang: () => visit(`http://127.0.0.1:${port}`, '/hangHG1') };
}

/** The caller starts the scanner. */
export async function newScanner(more: Partial<ScannerDeps> = {}) {
  const dataDir = newFolder();
  const metrics = createMetrics();
  const nothing = async () => [];
  const done = async () => undefined;
  const deps: ScannerDeps = {
    dataDir,
    policy: { registrableDomain, ownHosts: [], allowed: NO_ALLOWED_HOSTS },
    links: { file: done, refile: done, drop: done, find: nothing, matching: nothing, all: nothing },
    rechecks: { add: done, take: nothing, finish: done, putBack: done, addForHosts: async () => 0 },
    bus: inProcessBus({ park: async () => undefined, logger }),
    feeds: 'none',
    shippedFeedsFile: path.join(dataDir, 'none'),
    logger,
    now: () => new Date(),
    ...more,
  };
  return { metrics, scanner: await createScanner(deps, metrics) };
}

export function providerAway() {
  const settings = {
    googleWebRiskKey: undefined,
    googleSafeBrowsingKey: undefined,
    urlhausKey: 'key',
    phishtankKey: undefined,
    providersUrl: 'http://127.0.0.1:9',
    providerRequestsPerMinute: 100,
  };
  const [provider] = providersFrom(settings, { logger, now: () => new Date() });
  return provider!;
}

/** Starts a process that holds this much memory. If it is busy, its event loop is free for 20 ms in every 320. */
export async function startProcess(megabytes: number, isBusy: boolean) {
  const [port] = await freePorts(1);
  const script = `
    import http from 'node:http';
    import { createMetrics } from ${JSON.stringify(import.meta.resolve('@waypost/telemetry'))};
    const metrics = createMetrics();
    metrics.collectProcess();
    globalThis.held = Buffer.alloc(${megabytes}e6, 1);
    const spin = () => { for (const end = performance.now() + 300; performance.now() < end; ); setTimeout(spin, 20); };
    if (${isBusy}) spin();
    const server = http.createServer(async (_, response) => response.end(await metrics.text()));
    server.listen(${port}, '127.0.0.1', () => console.log('Ready'));`;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script];
  const started = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const kill = async () => {
    started.kill('SIGKILL');
    if (started.exitCode === null && started.signalCode === null) await once(started, 'exit');
  };
  afterwards(kill);
  await once(started.stdout, 'data');
  return { scrape: () => scrape(`http://127.0.0.1:${port}`), kill };
}
