import { fetch, ProxyAgent } from 'undici';

/** Fetches through this proxy. This is a separate module, because few commands need its 0.4 MB of code. */
export function proxiedFetch(address: string, init: RequestInit | undefined, proxy: string): Promise<Response> {
  const options = { ...init, dispatcher: new ProxyAgent(proxy) } as Parameters<typeof fetch>[1];
  return fetch(address, options) as unknown as Promise<Response>;
}
