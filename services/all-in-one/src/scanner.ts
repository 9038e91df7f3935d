import path from 'node:path';
import { ownHostOf, type UrlPolicy } from '@waypost/domain';
import type { Service } from '@waypost/process';
import { createScanner, providersFrom, registrableDomain, type Scanner } from '@waypost/scanner';
import type { Metrics } from '@waypost/telemetry';
import { THREATS } from './backup.ts';
import type { Config } from './config.ts';
import type { Engines } from './engines.ts';

export async function scannerOf(
  config: Config,
  { bus, scannerStores }: Engines,
  { logger, stack }: Pick<Service, 'logger' | 'stack'>,
  policy: UrlPolicy,
  metrics: Metrics,
): Promise<Scanner> {
  const now = () => new Date();
  const scanner = await createScanner(
    {
      ...config,
      ...scannerStores,
      dataDir: path.join(config.dataDir, THREATS),
      policy,
      providers: providersFrom(config, { logger, now }),
      bus,
      logger,
      now,
    },
    metrics,
  );
  stack.defer(() => scanner.stop());
  return scanner;
}

export function urlPolicyOf(config: Config): UrlPolicy {
  const { baseUrl, redirectBaseUrl, host, port, redirectPort } = config;
  const listening = ['0.0.0.0', '::', 'localhost'].includes(host) ? ['127.0.0.1', '[::1]', 'localhost'] : [host];
  const addresses = listening.flatMap((name) => [`${name}:${port}`, `${name}:${redirectPort}`]);
  return {
    registrableDomain,
    ownHosts: [...new Set([ownHostOf(baseUrl), ownHostOf(redirectBaseUrl), ...addresses, ...config.ownHosts])],
    allowed: config.destinationHostsAllowed,
  };
}
