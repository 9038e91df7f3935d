/** A proxy before the API that spoils one request in ten, each time in another way. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** `…Made`: the API has done what was asked when the answer is spoilt. */
const FAULTS = ['drop', 'dropMade', 'cutMade', 'late', 'limited', 'away', 'awayMade'] as const;

export async function startFaultyProxy(api: string, { lateMs }: { lateMs: number }) {
  const { hostname, port } = new URL(api);
  const agent = new http.Agent({ keepAlive: true });
  let requests = 0;
  const spoilt: Record<string, number> = {};

  const server = http.createServer(async (request, response) => {
    const body = await buffer(request);
    requests++;
    const fault = requests % 10 === 0 ? FAULTS[(requests / 10) % FAULTS.length]! : undefined;
    if (fault !== undefined) spoilt[fault] = (spoilt[fault] ?? 0) + 1;
    if (fault === 'drop') return void request.socket.destroy();
    if (fault === 'limited') return refuse(response, 429, 'rate_limited');
    if (fault === 'away') return refuse(response, 503, 'service_unavailable');

    const { method, url: path, headers } = request;
    const forwarded = http.request({ hostname, port, method, path, headers, agent }).end(body);
    const [answer] = (await once(forwarded, 'response')) as [http.IncomingMessage];
    const text = await buffer(answer);
    if (fault === 'dropMade') return void request.socket.destroy();
    if (fault === 'awayMade') return refuse(response, 503, 'service_unavailable');
    if (fault === 'late') await new Promise((resolve) => setTimeout(resolve, lateMs));
    response.writeHead(answer.statusCode ?? 0, answer.headers);
    if (fault !== 'cutMade') return void response.end(text);
    response.write(text.subarray(0, text.length / 2), () => request.socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** How often each fault came. */
    spoilt,
    stop: async () => {
      server.closeAllConnections();
      agent.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function refuse(response: http.ServerResponse, status: number, error: string): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Retry-After': '1' });
  response.end(JSON.stringify({ error, message: 'The proxy says so.', status }));
}
