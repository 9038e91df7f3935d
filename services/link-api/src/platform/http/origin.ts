import type { IncomingMessage } from 'node:http';
import { readSystem, readUserAgent } from '@waypost/origin/user-agent';
import { clientAddress } from '@waypost/process';
import type { LinkApiDeps } from '../../deps.ts';
import type { Origin } from '../../accounts/sessions.port.ts';

const USER_AGENT_MAX = 512;

/** Reduces a request to names and a country: neither the header nor the address is stored. */
export function origins({ trustedProxies, countryOf }: Pick<LinkApiDeps, 'trustedProxies' | 'countryOf'>) {
  const addressOf = clientAddress(trustedProxies);
  return (request: IncomingMessage): Origin => {
    const userAgent = (request.headers['user-agent'] ?? '').slice(0, USER_AGENT_MAX);
    const { browser } = readUserAgent(userAgent);
    return { browser, system: readSystem(userAgent), country: countryOf(addressOf(request)) };
  };
}
