/** Creates a scanner that only judges URLs: it has no links, no bus, no polled feeds and no log. */
import { NO_ALLOWED_HOSTS } from '@waypost/domain';
import type { ScannerDeps } from '../src/app.ts';
import { registrableDomain } from '../src/judge/urls/hosts.ts';

const nothing = async () => [];
const done = async () => {};
const silent = { error() {}, warn() {}, info() {}, debug() {} };

export function loneScanner(dataDir: string): ScannerDeps {
  return {
    dataDir,
    policy: { registrableDomain, ownHosts: ['sho.example.com'], allowed: NO_ALLOWED_HOSTS },
    links: { file: done, refile: done, drop: done, matching: nothing, find: nothing, all: nothing },
    rechecks: { add: done, take: nothing, finish: done, putBack: done, addForHosts: async () => 0 },
    bus: { publishEncoded: done, subscribe: async () => ({ parked: () => 0, stop: done }) },
    feeds: 'none',
    logger: silent as never,
    now: () => new Date(),
  };
}
