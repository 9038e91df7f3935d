import { fetch, ProxyAgent } from 'undici';

/** By this proxy. A module of its own: it takes 0.4 MB that few commands need. */
export function proxiedFetch(address: string, init: RequestInit | undefined, proxy: string): Promise<Response> {
  const options = { ...init, dispatcher: new ProxyAgent(proxy) } as Parameters<typeof fetch>[1];
  return fetch(address, options) as unknown as Promise<Response>;
}
