import { NO_ALLOWED_HOSTS } from '@waypost/domain';
import type { PageInspector } from '@waypost/ports';
import { byDns } from '@waypost/public-request';
import { getDomain } from 'tldts';
import { inspectUrl } from './inspect-url.ts';
import type { InspectorSettings } from './settings.ts';

export const registrableDomain = (host: string) =>
  getDomain(host, { allowPrivateDomains: false, extractHostname: false, validateHostname: false, mixedInputs: false });

/** Uses DNS alone, since strangers choose the names. */
export function pageInspector({ ownHosts, allowed, ports, nameServers }: InspectorSettings): PageInspector {
  const resolve = byDns(NO_ALLOWED_HOSTS, nameServers.length === 0 ? undefined : nameServers);
  return {
    inspect: (url, withinMs) =>
      inspectUrl({ policy: { registrableDomain, ownHosts }, allowed, ports, resolve }, url, withinMs),
  };
}
