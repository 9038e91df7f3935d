import type http from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import { NO_ALLOWED_HOSTS, parseAllowed, WEBHOOK_LIMITS } from '@waypost/domain';
import { serve } from '@waypost/test-support/afterwards';
import { Webhook } from 'standardwebhooks';
import { webhookSender } from './sender.adapter.ts';

const receiver = async (answer: http.RequestListener) => `${await serve(answer)}/hook`;

const ALLOWED = parseAllowed(['127.0.0.0/8']);
const [SECRET, OLD] = [1, 2].map((byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`) as [string, string];
const BODY = JSON.stringify({ type: 'link.created', data: { destination_url: 'https://example.com/ü👍' } });
const attempt = (url: string) => ({ url, id: 'msg_1', body: BODY, secrets: [SECRET, OLD], at: new Date() });
const never = new AbortController().signal;

test('the library of the specification verifies a message with either secret', async () => {
  let seen: { headers: http.IncomingHttpHeaders; method: string | undefined; body: string } | undefined;
  const url = await receiver(async (request, response) => {
    seen = { headers: request.headers, method: request.method, body: await text(request) };
    response.end('thanks');
  });
  expect(await webhookSender({ allowed: ALLOWED })(attempt(url), never)).toEqual({
    status: 200,
    answer: 'thanks',
    error: null,
    retryAfterMs: undefined,
  });
  expect(seen).toMatchObject({ method: 'POST', body: BODY, headers: { 'content-type': 'application/json' } });
  for (const secret of [SECRET, OLD])
    expect(new Webhook(secret).verify(seen!.body, seen!.headers as Record<string, string>)).toEqual(JSON.parse(BODY));
  const another = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
  expect(() => new Webhook(another).verify(seen!.body, seen!.headers as Record<string, string>)).toThrow();
});

describe('the sender', () => {
  test('does not follow a redirect', async () => {
    let followed = false;
    const elsewhere = await receiver((_request, response) => {
      followed = true;
      response.end();
    });
    const url = await receiver((_request, response) => response.writeHead(307, { Location: elsewhere }).end());
    expect(await webhookSender({ allowed: ALLOWED })(attempt(url), never)).toMatchObject({ status: 307 });
    expect(followed).toBe(false);
  });

  test('names a 101 as what it is', async () => {
    const url = await receiver((request) => {
      request.socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n');
    });
    expect(await webhookSender({ allowed: ALLOWED })(attempt(url), never)).toMatchObject({ status: 101, error: null });
  });

  test.each([
    ['25', 25_000],
    ['Thu, 01 Jan 2099 00:00:10 GMT', 10_000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['soon', undefined],
    ['-1', undefined],
    ['9'.repeat(400), undefined],
  ])('reads Retry-After: %s', async (header, retryAfterMs) => {
    const url = await receiver((_request, response) => response.writeHead(503, { 'Retry-After': header }).end());
    const at = new Date('2099-01-01T00:00:00.000Z');
    expect(await webhookSender({ allowed: ALLOWED })({ ...attempt(url), at }, never)).toMatchObject({
      status: 503,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
  });

  test('keeps the beginning of a long answer as text', async () => {
    const url = await receiver((_request, response) => {
      response.write(Buffer.from('a\u0000\xff', 'latin1'));
      const more = () => {
        while (response.write('x'.repeat(65_536)));
      };
      response.on('drain', more);
      more();
    });
    const { status, answer } = await webhookSender({ allowed: ALLOWED })(attempt(url), never);
    expect(status).toBe(200);
    expect(answer).toHaveLength(WEBHOOK_LIMITS.answerBytes);
    expect(answer).toMatch(/^a\ufffd\ufffdx+$/);
  });

  test('gives up a receiver that never answers', async () => {
    const url = await receiver(() => undefined);
    const answer = await webhookSender({ allowed: ALLOWED, timeoutMs: 100 })(attempt(url), never);
    expect(answer).toEqual({ status: null, answer: null, error: 'no response within 0.1 s' });
  });

  test('returns the status even if the rest of the answer never arrives', async () => {
    const url = await receiver((_request, response) => {
      response.writeHead(204).flushHeaders();
      response.socket?.pause();
    });
    const slow = await receiver((_request, response) => void response.writeHead(200).write('…'));
    expect(await webhookSender({ allowed: ALLOWED, timeoutMs: 300 })(attempt(slow), never)).toMatchObject({
      status: 200,
      answer: '…',
    });
    expect(await webhookSender({ allowed: ALLOWED })(attempt(url), never)).toMatchObject({ status: 204 });
  });

  test('does not reject if nobody listens, the answer is broken or its headers are too large', async () => {
    const send = webhookSender({ allowed: ALLOWED });
    expect(await send(attempt('http://127.0.0.1:9/'), never)).toEqual({
      status: null,
      answer: null,
      error: 'the host cannot be reached (ECONNREFUSED)',
    });
    const broken = await receiver((request) => request.socket.end('HTTP/1.1 abc\r\n\r\n'));
    expect(await send(attempt(broken), never)).toMatchObject({ status: null, error: expect.stringMatching(/HPE_/) });
    const large = await receiver((_request, response) => response.writeHead(200, { X: 'x'.repeat(100_000) }).end());
    expect(await send(attempt(large), never)).toMatchObject({ status: null, error: expect.stringMatching(/HPE_/) });
  });

  test('does not connect to a private address, whatever name leads there', async () => {
    let isCalled = false;
    const url = await receiver((_request, response) => {
      isCalled = true;
      response.end();
    });
    const send = webhookSender({
      allowed: NO_ALLOWED_HOSTS,
      resolve: (_host, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
    });
    const named = url.replace('127.0.0.1', 'hooks.example.org');
    for (const each of [url, named])
      expect(await send(attempt(each), never)).toEqual({
        status: null,
        answer: null,
        error: 'the host is not public',
      });
    expect(isCalled).toBe(false);
  });
});
