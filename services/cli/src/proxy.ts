/** Obeys `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, which Node's own fetch ignores without a start option. */
export function proxyFetch(environment: NodeJS.ProcessEnv): typeof fetch | undefined {
  const of = (name: string) => environment[name] || environment[name.toUpperCase()];
  if (!of('https_proxy') && !of('http_proxy')) return undefined;
  return async (input, init) => {
    const { protocol, hostname } = new URL(String(input));
    const proxy = of(protocol === 'https:' ? 'https_proxy' : 'http_proxy');
    if (proxy === undefined || isDirect(hostname, of('no_proxy') ?? '')) return fetch(input, init);
    const { proxiedFetch } = await import('./proxied-fetch.ts');
    return proxiedFetch(String(input), init, proxy);
  };
}

/** `NO_PROXY` lists hosts and also matches their subdomains. A `*` matches every host. */
function isDirect(host: string, noProxy: string): boolean {
  const rules = noProxy.split(/[\s,]+/).filter((rule) => rule !== '');
  return rules.some((rule) => rule === '*' || `.${host}`.endsWith(rule.startsWith('.') ? rule : `.${rule}`));
}
