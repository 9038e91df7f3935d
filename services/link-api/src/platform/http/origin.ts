import type { IncomingMessage } from 'node:http';
import { readSystem, readUserAgent } from '@waypost/origin/user-agent';
import type { CountryOf } from '@waypost/ports';
import { clientAddress, type TrustedProxies } from '@waypost/process';
import type { Origin } from '../place.ts';

const USER_AGENT_MAX = 512;

export interface OriginPorts {
  readonly trustedProxies: TrustedProxies;
  readonly countryOf: CountryOf;
}

/** Reduces a request to names and a country: neither the header nor the address is stored. */
export function origins({ trustedProxies, countryOf }: OriginPorts) {
  const addressOf = clientAddress(trustedProxies);
  return (request: IncomingMessage): Origin => {
    const userAgent = (request.headers['user-agent'] ?? '').slice(0, USER_AGENT_MAX);
    const { browser } = readUserAgent(userAgent);
    return { browser, system: readSystem(userAgent), country: countryOf(addressOf(request)) };
  };
}
