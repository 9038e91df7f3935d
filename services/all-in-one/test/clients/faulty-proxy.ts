/** Starts a proxy for the API that spoils one request in ten. Each time it uses the next fault. */
import { once } from 'node:events';
import http from 'node:http';
import { buffer } from 'node:stream/consumers';
import { pause } from '@waypost/test-support';
import { serve } from '@waypost/test-support/afterwards';

/** In a fault whose name ends with `Made`, the API has already done what the request asked for. */
const FAULTS = ['drop', 'dropMade', 'cutMade', 'late', 'limited', 'away', 'awayMade'] as const;

export async function startFaultyProxy(api: string, { lateMs }: { lateMs: number }) {
  const { hostname, port } = new URL(api);
  let requests = 0;
  const spoilt: Record<string, number> = {};

  const url = await serve(async (request, response) => {
    const body = await buffer(request);
    requests++;
    const fault = requests % 10 === 0 ? FAULTS[(requests / 10) % FAULTS.length]! : undefined;
    if (fault !== undefined) spoilt[fault] = (spoilt[fault] ?? 0) + 1;
    if (fault === 'drop') return void request.socket.destroy();
    if (fault === 'limited') return refuse(response, 429, 'rate_limited');
    if (fault === 'away') return refuse(response, 503, 'service_unavailable');

    const { method, url: path, headers } = request;
    const forwarded = http.request({ hostname, port, method, path, headers }).end(body);
    const [answer] = (await once(forwarded, 'response')) as [http.IncomingMessage];
    const text = await buffer(answer);
    if (fault === 'dropMade') return void request.socket.destroy();
    if (fault === 'awayMade') return refuse(response, 503, 'service_unavailable');
    if (fault === 'late') await pause(lateMs);
    response.writeHead(answer.statusCode ?? 0, answer.headers);
    if (fault !== 'cutMade') return void response.end(text);
    response.write(text.subarray(0, text.length / 2), () => request.socket.destroy());
  });
  return { url, spoilt };
}

function refuse(response: http.ServerResponse, status: number, error: string): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Retry-After': '1' });
  response.end(JSON.stringify({ error, message: 'The proxy says so.', status }));
}
