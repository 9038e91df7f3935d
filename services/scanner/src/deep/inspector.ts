import { NO_ALLOWED_HOSTS } from '@waypost/domain';
import type { PageInspector } from '@waypost/ports';
import { byDns } from '@waypost/public-request';
import { registrableDomain } from '../urls/hosts.ts';
import { inspectUrl } from './inspect-url.ts';
import type { InspectorSettings } from './settings.ts';

/** In this thread. Names are looked up by DNS alone: anybody may have chosen them. */
export function pageInspector({ ownHosts, allowed, ports, nameServers }: InspectorSettings): PageInspector {
  const resolve = byDns(NO_ALLOWED_HOSTS, nameServers.length === 0 ? undefined : nameServers);
  return {
    inspect: (url, withinMs) =>
      inspectUrl({ policy: { registrableDomain, ownHosts }, allowed, ports, resolve }, url, withinMs),
  };
}
