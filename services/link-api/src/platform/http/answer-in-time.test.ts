import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import express from 'express';
import { testServer } from '../../../test/link-api-under-test.ts';
import { ERRORS } from '../../app.ts';
import { answerInTime, requestSignal } from './answer-in-time.ts';
import { errorAnswer, errorHandler, errorReporter } from './errors.ts';

const logged: unknown[] = [];
const log = (...line: unknown[]) => void logged.push(line);
const logger = { error: log, warn: log, info: log, debug: log } as never;

const { server, base } = testServer();
let failLater: (error: Error) => void;
let signal: AbortSignal;
/** All requests must use the same connection. */
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

beforeAll(() => {
  const app = express();
  const answerError = errorAnswer(errorReporter(logger, ERRORS));
  app.use(answerInTime(answerError, 100));
  app.get('/hangs', async (_request, response) => {
    signal = requestSignal(response);
    await new Promise((_resolve, reject) => {
      failLater = reject;
    });
  });
  app.get('/well', async (_request, response) => {
    await pause(60);
    response.json({ well: true });
  });
  app.use(errorHandler(answerError));
  server.on('request', app);
});
afterAll(() => agent.destroy());

function get(path: string): Promise<{ status: number | undefined; body: unknown; port: number | undefined }> {
  return new Promise((resolve, reject) => {
    const request = http.get(`${base()}${path}`, { agent }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      const { localPort } = response.socket;
      response.once('end', () => resolve({ status: response.statusCode, body: JSON.parse(text), port: localPort }));
    });
    request.once('error', reject);
  });
}

test('a handler that fails after its 503 leaves the connection usable for the next request', async () => {
  const late = await get('/hangs');
  expect(late).toMatchObject({ status: 503, body: { error: 'service_unavailable', status: 503 } });
  expect(signal.aborted).toBe(true);
  const next = get('/well');
  await pause(20);
  failLater(new Error('Timeout error.'));
  expect(await next).toEqual({ status: 200, body: { well: true }, port: late.port });
  expect(logged).toHaveLength(1);
});
