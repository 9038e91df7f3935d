/** Obeys `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, which Node's own fetch ignores without a start option. */
import { UsageError } from '@waypost/command-line';
import { urlOf } from './url.ts';

/** Returns the fetch for a base URL: always the same one, so that its requests share connections. */
export function fetches(environment: NodeJS.ProcessEnv): (url: string) => typeof fetch {
  const byOrigin = new Map<string, typeof fetch>();
  return (url) => {
    const { origin } = new URL(url);
    const own = byOrigin.get(origin) ?? fetchFor(environment, url);
    byOrigin.set(origin, own);
    return own;
  };
}

function fetchFor(environment: NodeJS.ProcessEnv, url: string): typeof fetch {
  const of = (name: string) => environment[name] || environment[name.toUpperCase()];
  const { protocol, hostname } = new URL(url);
  const name = protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const proxy = of(name);
  if (proxy === undefined || isDirect(hostname, of('no_proxy') ?? '')) return (input, init) => fetch(input, init);
  const address = addressOfProxy(name, proxy);
  let own: Promise<typeof fetch> | undefined;
  return async (input, init) => {
    own ??= import('./proxied-fetch.ts').then(({ proxiedFetch }) => proxiedFetch(address, protocol));
    return (await own)(input, init);
  };
}

/** As for curl, an address without a scheme is one of http. The error does not repeat it: it may hold a password. */
function addressOfProxy(name: string, text: string): URL {
  const url = urlOf(text.includes('://') ? text : `http://${text}`);
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url;
  throw new UsageError(`${name.toUpperCase()} must be an address such as http://proxy.example.org:3128.`);
}

/** `NO_PROXY` lists hosts and also matches their subdomains. A `*` matches every host. */
function isDirect(host: string, noProxy: string): boolean {
  const rules = noProxy.split(/[\s,]+/).filter((rule) => rule !== '');
  return rules.some((rule) => rule === '*' || `.${host}`.endsWith(rule.startsWith('.') ? rule : `.${rule}`));
}
