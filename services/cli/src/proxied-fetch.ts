/** Fetches through a proxy by CONNECT, on every version of Node. A separate module, because few commands need it. */
import http from 'node:http';
import https from 'node:https';
import { isIPv6, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import tls from 'node:tls';
import { networkWords } from '@waypost/sdk/request';

type Done = (error: Error | null, socket?: Socket) => void;

/** The request's signal has another name here, because Node does not pass on what is called `signal`. */
interface Options extends https.RequestOptions {
  readonly stop?: AbortSignal | undefined;
}

const NO_BODY = [204, 205, 304];

/** All requests share one agent. It keeps connections for the next request, but not the process alive. */
export function proxiedFetch(proxy: URL, protocol: string): typeof fetch {
  const { Agent, request } = protocol === 'https:' ? https : http;
  const agent = Object.assign(new Agent({ keepAlive: true }), {
    createConnection: (options: Options, done: Done) => {
      tunnel(proxy, options).then(
        (socket) =>
          done(null, protocol === 'https:' ? tls.connect({ ...(options as tls.ConnectionOptions), socket }) : socket),
        done,
      );
    },
  });
  return async (input, { method = 'GET', headers, body, signal } = {}) => {
    const stop = signal ?? undefined;
    const options: Options = { agent, method, headers: Object.fromEntries(new Headers(headers)), signal: stop, stop };
    const message = await new Promise<http.IncomingMessage>((resolve, reject) =>
      request(String(input), options).once('response', resolve).once('error', reject).end(body),
    );
    const status = message.statusCode!;
    const answer = NO_BODY.includes(status) ? null : (Readable.toWeb(message) as ReadableStream);
    const lines = Object.entries(message.headers).map(([name, value]): [string, string] => [name, String(value)]);
    return new Response(answer, { status, headers: lines });
  };
}

/** Resolves to a connection to the host of `options`. Rejects with words that name the proxy, but not its password. */
function tunnel(proxy: URL, { host, port, stop }: Options): Promise<Socket> {
  const to = `${isIPv6(host ?? '') ? `[${host}]` : host}:${port}`;
  const { username, password } = proxy;
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  return new Promise((resolve, reject) => {
    (proxy.protocol === 'https:' ? https : http)
      .request({
        host: proxy.hostname.replace(/^\[|\]$/g, ''),
        port: proxy.port,
        method: 'CONNECT',
        path: to,
        agent: false,
        headers: { Host: to, ...(username !== '' && { 'Proxy-Authorization': `Basic ${login}` }) },
        signal: stop,
      })
      .once('connect', ({ statusCode }, socket: Socket) => {
        if (statusCode === 200) return resolve(socket);
        socket.destroy();
        const why = statusCode === 407 ? ': it requires a user name and a password' : '';
        reject(new Error(`the proxy ${proxy.host} answered ${statusCode}${why}`));
      })
      .once('error', (cause) => reject(new Error(`the proxy ${proxy.host} failed: ${networkWords(cause)}`)))
      .end();
  });
}
