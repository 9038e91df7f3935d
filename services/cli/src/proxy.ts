/** `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`: fetch of Node heeds them only where it is started so. */
export function proxyFetch(environment: NodeJS.ProcessEnv): typeof fetch | undefined {
  const [httpsProxy, httpProxy, noProxy] = ['https_proxy', 'http_proxy', 'no_proxy'].map(
    (name) => environment[name] || environment[name.toUpperCase()],
  );
  if (!httpsProxy && !httpProxy) return undefined;
  return async (input, init) => {
    const { EnvHttpProxyAgent, fetch } = await import('undici');
    const dispatcher = new EnvHttpProxyAgent({
      ...(httpsProxy && { httpsProxy }),
      ...(httpProxy && { httpProxy }),
      ...(noProxy && { noProxy }),
    });
    return fetch(String(input), { ...init, dispatcher } as Parameters<typeof fetch>[1]) as unknown as Promise<Response>;
  };
}
