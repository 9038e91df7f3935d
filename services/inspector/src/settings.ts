import { Resolver } from 'node:dns';
import { parseAllowed } from '@waypost/domain';
import { setting } from '@waypost/settings';

export const INSPECTOR = {
  DEEP_SCAN_HOSTS_ALLOWED: setting
    .list('Host names and CIDRs that deep scans may reach although not public.', parseAllowed)
    .default('none'),
  DEEP_SCAN_PORTS: setting.list('Ports that deep scans may reach.', parsePorts).default('80,443,8080,8443'),
  DEEP_SCAN_DNS: setting
    .list(
      'Name servers for deep scans, as IP addresses with or without a port. `none` uses those of the system.',
      parseServers,
    )
    .default('none'),
};

function parsePorts(texts: readonly string[]): readonly number[] {
  return texts.map((text) => {
    const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
    if (port < 1 || port > 65_535) throw new Error('must be ports from 1 to 65535');
    return port;
  });
}

function parseServers(texts: readonly string[]): readonly string[] {
  try {
    // The inspector does the same in a thread, where a fault would show only at the first call.
    new Resolver().setServers(texts);
  } catch (error) {
    throw new Error('must be IP addresses, with or without a port', { cause: error });
  }
  return texts;
}

/** Can be passed to a thread. */
export interface InspectorSettings {
  readonly ownHosts: readonly string[];
  readonly allowed: ReturnType<typeof parseAllowed>;
  readonly ports: readonly number[];
  /** If empty, the name servers of the system. */
  readonly nameServers: readonly string[];
}
